import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from 'chai';
import { bundle } from '../../infra/tools/bundle.ts';
import { PROGRAMS } from '../../infra/tools/programs.ts';
import { monitoringRoutes } from '../../src/http/routes.ts';
import { KEEP_ALIVE_TIMEOUT_MS, STOP_TIMEOUT_MS } from '../../src/serving/server.ts';
import {
  composeServices,
  type ComposeService,
  copiedIntoImage,
  isProjectPath,
  projectFile,
} from '../support/deployment.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { expectSettings, PARTS, PORT, SECRET, VERSION } from './deployed.ts';

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
