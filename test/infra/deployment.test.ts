import { accessSync, constants, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from 'chai';
import { parseAddress as parseEventStoreAddress } from '../../infra/eventstoredb/address.ts';
import { parseAddress as parseRedisAddress } from '../../infra/redis/address.ts';
import { bundle } from '../../infra/tools/bundle.ts';
import { PROGRAMS } from '../../infra/tools/programs.ts';
import { readConfig } from '../../src/settings/config.ts';
import { monitoringRoutes } from '../../src/http/routes.ts';
import { KEEP_ALIVE_TIMEOUT_MS, STOP_TIMEOUT_MS } from '../../src/serving/server.ts';
import { ROLES } from '../../src/settings/roles.ts';
import { settings } from '../../src/settings/settings.ts';
import {
  composeServices,
  type ComposeService,
  type Container,
  copiedIntoImage,
  isProjectPath,
  type Manifest,
  manifests,
  projectFile,
} from '../support/deployment.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const SECRET = 'c'.repeat(64);
const PARTS = ROLES.filter((role) => role !== 'all');
const SETTING_NAMES: readonly string[] = Object.values(settings).map(({ name }) => name);
const PORT = Number(/ PORT=(?<port>\d+)/.exec(projectFile('infra/docker/Dockerfile'))?.groups?.['port']);
const VERSION: string = JSON.parse(projectFile('package.json')).version;

function expectSettings(env: Readonly<Record<string, string>>): void {
  expect(Object.keys(env).filter((name) => !SETTING_NAMES.includes(name))).to.deep.equal([]);
  const { eventStore, redis } = readConfig(env);
  // What a setting lets through, its engine may still refuse.
  parseEventStoreAddress(eventStore?.url ?? '');
  parseRedisAddress(redis?.url ?? '');
}

/** `30s` */
function secondsOf(text: string | undefined): number {
  return Number(/^(?<seconds>\d+)s$/.exec(text ?? '')?.groups?.['seconds']);
}

/** `name:1.2` at least, and not only `name` or `name:latest`; with its digest where one is known. */
const PINNED = /:\d+\.\d+[\w.-]*(?:@sha256:[0-9a-f]{64})?$/;
/** By content: a tag can be moved. */
const BY_DIGEST = /:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;

describe('the image', () => {
  const dockerfile = projectFile('infra/docker/Dockerfile');

  it('is built from what there is, and from what .dockerignore lets in', () => {
    const ignore = projectFile('.dockerignore').split('\n');
    for (const path of copiedIntoImage()) {
      expect(isProjectPath(path), path).to.equal(true);
      expect(ignore, path).to.include(`!${path}`);
    }
    const letIn = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(letIn).to.have.members([...new Set(copiedIntoImage())]);
  });

  it('has every source folder that the build bundles', () => {
    const { include } = JSON.parse(projectFile('tsconfig.json'));
    expect([...copiedIntoImage(), 'test']).to.include.members(include);
  });

  it('has a Node that CI tests', () => {
    const from = [...dockerfile.matchAll(/^FROM (?<image>\S+)/gm)].map(
      ({ groups }) => groups?.['image'] ?? '',
    );
    expect(from).to.have.lengthOf(2);
    for (const image of from) {
      expect(image).to.match(BY_DIGEST);
      expect(projectFile('.ci/run')).to.include(/^node:(?<version>[\d.]+)/.exec(image)?.groups?.['version']);
    }
  });

  it('runs none of the scripts of packages but the one that is needed, as CI does', () => {
    for (const text of [dockerfile, projectFile('.ci/run')]) {
      expect(text).to.match(/npm ci --ignore-scripts(?: &&|\n).*npm rebuild better-sqlite3$/m);
      expect(text).to.not.match(/npm ci(?! --ignore-scripts)(?!')/);
    }
  });

  it('runs as a user that is known by number not to be root, and is asked where it answers', () => {
    expect(dockerfile).to.match(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(dockerfile).to.match(/^STOPSIGNAL SIGTERM$/m);
    expect(dockerfile).to.match(new RegExp(`^EXPOSE ${PORT}$`, 'm'));
    const asked = /process\.env\.PORT\}(?<path>\/\w+)`/.exec(dockerfile)?.groups?.['path'];
    expect(monitoringRoutes.map(({ path }) => path)).to.include(asked);
  });
});

describe('the compose file', () => {
  const services = composeServices({ SIGNING_SECRET: SECRET });
  const caddyfile = projectFile('infra/docker/Caddyfile');
  const proxySeconds = (setting: string): number =>
    secondsOf(new RegExp(`\\b${setting} (?<time>\\w+)`).exec(caddyfile)?.groups?.['time']);
  const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('bourse:'));
  const roles = ours.filter(([, { profiles }]) => profiles === undefined);

  it('does not start without a secret, and the example has none', () => {
    expect(() => composeServices({})).to.throw('SIGNING_SECRET');
    expect(projectFile('infra/docker/.env.example')).to.match(/^SIGNING_SECRET=$/m);
  });

  it('gives each process settings that there are, with values that it takes', () => {
    for (const [, { environment }] of ours) expectSettings(environment ?? {});
  });

  it('runs each part of the whole, and more than one of it', () => {
    expect(roles.map(([, { environment }]) => environment?.['ROLE'])).to.have.members([...PARTS]);
    for (const [name, { environment, deploy }] of roles) {
      expect(environment?.['ROLE']).to.equal(name);
      expect(deploy?.replicas, name).to.be.at.least(2);
    }
  });

  it('names versions, and of ours the one of this program', () => {
    for (const [name, { image }] of Object.entries(services)) {
      const isByTag = image.startsWith('bourse:') || name === 'eventstore';
      expect(image, name).to.match(isByTag ? PINNED : BY_DIGEST);
    }
    for (const [, { image }] of ours) expect(image).to.equal(`bourse:${VERSION}`);
  });

  it('lets no process of ours write to its own files or gain rights', () => {
    for (const [name, { read_only, cap_drop, security_opt }] of ours) {
      expect({ read_only, cap_drop, security_opt }, name).to.deep.equal({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it('starts nothing before what it waits for is healthy', () => {
    const hasCheck = ({ image, healthcheck }: ComposeService): boolean =>
      healthcheck !== undefined || image.startsWith('bourse:');
    for (const [name, { depends_on }] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(depends_on ?? {})) {
        expect(condition, `${name} on ${other}`).to.equal('service_healthy');
        expect(services[other], other).to.satisfy(hasCheck);
      }
    }
    expect(Object.keys(services['api']?.depends_on ?? {})).to.have.members([
      'eventstore',
      'mongodb',
      'redis',
    ]);
  });

  it('believes its one proxy, and publishes nothing but it', () => {
    expect(services['api']?.environment?.['TRUST_PROXY_HOPS']).to.equal('1');
    const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name)).to.deep.equal(['proxy']);
  });

  it('is published to its own machine alone where the test checkout is, as the container of the guide is', () => {
    expect(services['proxy']?.ports).to.deep.equal(['127.0.0.1:8080:8080']);
    const open = composeServices({ SIGNING_SECRET: SECRET, HTTP_ADDRESS: '0.0.0.0', HTTP_PORT: '80' });
    expect(open['proxy']?.ports).to.deep.equal(['0.0.0.0:80:8080']);
    const commands = projectFile('docs/operations.md').match(/--publish \S+/g);
    expect(commands).to.deep.equal(['--publish 127.0.0.1:8080:8080']);
  });

  it('leaves each process the time that it takes to stop', () => {
    for (const [name, { stop_grace_period }] of roles)
      expect(secondsOf(stop_grace_period) * 1_000, name).to.be.above(STOP_TIMEOUT_MS);
    expect(secondsOf(services['proxy']?.stop_grace_period)).to.be.above(proxySeconds('grace_period'));
  });

  it('has a proxy that lets idle connections go before the service does, and waits longer than the service', () => {
    expect(proxySeconds('keepalive') * 1_000).to.be.below(KEEP_ALIVE_TIMEOUT_MS);
    const longestWaitSeconds = 60;
    expect(proxySeconds('response_header_timeout')).to.be.above(longestWaitSeconds);
  });

  it('keeps the files of all api processes in one place', () => {
    expect(services['api']?.volumes).to.deep.equal(['artifacts:/data/artifacts']);
    expect(projectFile('infra/docker/Dockerfile')).to.include(' DATA_DIR=/data ');
  });
});

describe('the Kubernetes manifests', () => {
  const all = manifests();
  const ofKind = (kind: string): readonly Manifest[] => all.filter((one) => one.kind === kind);
  const deployments = ofKind('Deployment');
  const pods = deployments.map(({ metadata, spec }) => ({ name: metadata.name, pod: spec.template.spec }));
  const containers: readonly Container[] = pods.flatMap(({ pod }) => pod.containers);
  const shared = { ...ofKind('ConfigMap')[0]?.data, ...ofKind('Secret')[0]?.stringData };
  const envOf = ({ env }: Container): Record<string, string> =>
    Object.fromEntries(env.map(({ name, value }) => [name, value]));

  it('are all listed, but for the example of the secret', () => {
    const [kustomization] = ofKind('Kustomization');
    const listed: readonly string[] = JSON.parse(JSON.stringify(kustomization)).resources;
    const files = readdirSync(new URL('../../infra/kubernetes/', import.meta.url));
    expect(files).to.have.members([...listed, 'kustomization.yaml', 'secrets.example.yaml']);
  });

  it('give each process settings that there are, with values that it takes', () => {
    for (const container of containers) {
      expect(container.envFrom).to.deep.equal([
        { configMapRef: { name: ofKind('ConfigMap')[0]?.metadata.name } },
        { secretRef: { name: ofKind('Secret')[0]?.metadata.name } },
      ]);
      expectSettings({ ...shared, ...envOf(container), SIGNING_SECRET: SECRET });
    }
  });

  it('let nothing start on the example of the secret', () => {
    for (const container of containers)
      expect(() => readConfig({ ...shared, ...envOf(container) })).to.throw('SIGNING_SECRET');
  });

  it('run each part of the whole, and more than one of it', () => {
    expect(containers.map((one) => envOf(one)['ROLE'])).to.have.members([...PARTS]);
    const [scaler] = ofKind('HorizontalPodAutoscaler');
    for (const { metadata, spec } of deployments) {
      const isScaled = scaler?.spec.scaleTargetRef.name === metadata.name;
      expect(isScaled ? scaler.spec.minReplicas : spec.replicas, metadata.name).to.be.at.least(2);
      // An autoscaler and a number would contradict each other at each apply.
      expect(isScaled && spec.replicas !== undefined, metadata.name).to.equal(false);
    }
    const spared = ofKind('PodDisruptionBudget').map(({ metadata }) => metadata.name);
    expect(spared).to.have.members(deployments.map(({ metadata }) => metadata.name));
  });

  it('keep files where every api process finds them: no disk is shared', () => {
    for (const { pod } of pods) expect(pod.volumes[0]).to.have.all.keys('name', 'emptyDir');
    expect(shared).to.have.property('ARTIFACTS_S3_BUCKET');
  });

  it('ask each process at addresses that it has', () => {
    const addresses = monitoringRoutes.map(({ path }) => path);
    for (const { startupProbe, readinessProbe, livenessProbe, ports } of containers) {
      for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
        expect(addresses).to.include(httpGet.path);
        expect(httpGet.port).to.equal(ports[0]?.name);
      }
      // With an engine away, a new process is not better than the old one.
      expect(livenessProbe.httpGet.path).to.equal('/healthz');
      expect(ports[0]?.containerPort).to.equal(PORT);
    }
    const [service] = ofKind('Service');
    expect(service?.spec.ports[0].targetPort).to.equal(containers[0]?.ports[0]?.name);
    expect(ofKind('Ingress')[0]?.spec.rules[0].http.paths[0].backend.service).to.deep.equal({
      name: service?.metadata.name,
      port: { name: service?.spec.ports[0].name },
    });
  });

  it('leave each process the time that it takes to stop', () => {
    for (const { name, pod } of pods) {
      const [container]: readonly Container[] = pod.containers;
      const beforeMs = (container?.lifecycle?.preStop.sleep.seconds ?? 0) * 1_000;
      expect(pod.terminationGracePeriodSeconds * 1_000, name).to.be.above(beforeMs + STOP_TIMEOUT_MS);
    }
  });

  it('give no process more rights than it needs', () => {
    for (const { name, pod } of pods) {
      expect(pod.automountServiceAccountToken, name).to.equal(false);
      expect(pod.securityContext, name).to.include({ runAsNonRoot: true, runAsUser: 1000 });
      expect(pod.securityContext.seccompProfile, name).to.deep.equal({ type: 'RuntimeDefault' });
    }
    for (const { securityContext, resources } of containers) {
      expect(securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.requests).to.have.all.keys('cpu', 'memory');
      expect(resources.limits).to.have.all.keys('memory');
    }
  });

  it('name the version of this program', () => {
    for (const { image } of containers) expect(image).to.equal(`bourse:${VERSION}`);
    expect(projectFile('infra/kubernetes/kustomization.yaml')).to.include(`newTag: ${VERSION}`);
  });
});

describe('the build', () => {
  let folder: TempFolder;
  before(async () => (folder = await tempFolder()));
  after(() => folder.remove());

  it('has a command to run and the files that the service reads, and none that only people and tools read', async () => {
    // As the build of an earlier program left it.
    mkdirSync(folder.file('src'));
    writeFileSync(folder.file('src/main.js'), '');
    await bundle(folder.path, { programs: PROGRAMS });

    const isIn = (path: string): boolean => existsSync(folder.file(path));
    const { bin } = JSON.parse(projectFile('package.json'));
    accessSync(folder.file(relative('dist', bin.bourse)), constants.X_OK);
    expect(
      ['main.js', 'infra/seeds/day-010-retirement.yaml', 'src/web/site/site.css'].filter(isIn),
    ).to.have.length(3);
    expect(isIn('src/main.js')).to.equal(false);
    expect(isIn('infra/docker/compose.yaml')).to.equal(false);
    expect(isIn('infra/kubernetes/api.yaml')).to.equal(false);
  });
});

describe('the network policies', () => {
  it('let processes of ours call engines by their addresses, and nothing inside beside them', () => {
    const policies = projectFile('infra/kubernetes/network-policies.yaml');
    expect(policies).to.not.match(/^ +- ports:/m);
    for (const inside of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8'])
      expect(policies).to.match(new RegExp(`except:[^]*- ${inside.replaceAll('.', '\\.')}`));
  });

  it('and the settings, show nobody a password that engines are shipped with', () => {
    for (const file of [
      'src/settings/settings.ts',
      'docs/operations.md',
      'infra/docker/compose.yaml',
      'infra/kubernetes/secrets.example.yaml',
    ])
      expect(projectFile(file), file).to.not.include('changeit');
  });
});
