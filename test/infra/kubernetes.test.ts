/** The manifests for Kubernetes: each process with settings that there are, and no more rights than it needs. */
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { readConfig } from '../../src/settings/config.ts';
import { monitoringRoutes } from '../../src/http/routes.ts';
import { STOP_TIMEOUT_MS } from '../../src/serving/server.ts';
import { type Container, type Manifest, manifests, projectFile } from '../support/deployment.ts';
import { expectSettings, PARTS, PORT, SECRET, VERSION } from './deployed.ts';

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
