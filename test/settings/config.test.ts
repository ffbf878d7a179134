import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { assertServable, onPort, readConfig, WrongSetting } from '../../src/settings/config.ts';
import { settings } from '../../src/settings/settings.ts';
import { settingsHelp, settingsMarkdown } from '../../src/settings/settings-reference.ts';

describe('the settings', () => {
  it('have defaults that work on a laptop', () => {
    expect(readConfig({})).to.deep.equal({
      port: 8080,
      host: '127.0.0.1',
      role: 'all',
      dataDir: './data',
      eventStore: undefined,
      mongoUrl: undefined,
      redis: undefined,
      baseUrl: 'http://localhost:8080',
      checkout: 'test',
      signingSecret: undefined,
      signingSecretBefore: undefined,
      publicRateLimit: 120,
      failedCredentialLimit: 30,
      recordRateLimit: 6_000,
      accountRateLimit: 120_000,
      accountDailyTrials: 200_000,
      accountDailyMib: 512,
      maxWebhookEndpoints: 20,
      maxListings: 1_000,
      dailyProfileChanges: 50,
      dailyBundleVersions: 20,
      maxWaitingRequests: 100,
      maxDeliveries: 64,
      maxConnections: 10_000,
      maxConnectionsPerAddress: 512,
      metricsToken: undefined,
      modelRouterUrl: undefined,
      orderVisibleDays: 30,
      trustProxyHops: 0,
      keyPrefix: 'brs',
      jsonLdNamespace: 'bourse',
      securityContact: 'http://localhost:8080',
      artifactsBucket: undefined,
      logLevel: 'info',
    });
  });

  it('count as absent when they are empty', () => {
    expect(readConfig({ PORT: '', SIGNING_SECRET: '', BASE_URL: '' })).to.deep.equal(readConfig({}));
  });

  it('are taken from the environment', () => {
    const config = readConfig({ PORT: '9090', BASE_URL: 'https://bourse.example/', LOG_LEVEL: 'warn' });
    expect(config).to.include({ port: 9090, baseUrl: 'https://bourse.example', logLevel: 'warn' });
    expect(readConfig({ PORT: '9090' }).baseUrl).to.equal('http://localhost:9090');
  });

  it('follow the port that was found for 0 in the address, unless one is set', () => {
    expect(onPort(readConfig({ PORT: '0' }), 4711)).to.include({
      port: 4711,
      baseUrl: 'http://localhost:4711',
    });
    const behindProxy = readConfig({ PORT: '0', BASE_URL: 'https://bourse.example' });
    expect(onPort(behindProxy, 4711)).to.include({ port: 4711, baseUrl: 'https://bourse.example' });
  });

  it('offer the test checkout where nobody comes from elsewhere, and nowhere else', () => {
    for (const BASE_URL of ['http://localhost:8080', 'https://127.0.0.1', 'http://[::1]:8080']) {
      expect(readConfig({ BASE_URL }).checkout, BASE_URL).to.equal('test');
      expect(readConfig({ BASE_URL, CHECKOUT: 'none' }).checkout).to.equal('none');
    }
    for (const BASE_URL of [
      'https://bourse.example',
      'http://10.0.0.7:8080',
      'https://localhost.example',
      'http://127.0.0.1.nip.example',
    ]) {
      expect(() => readConfig({ BASE_URL, CHECKOUT: 'test' })).to.throw(WrongSetting, 'CHECKOUT is test');
      expect(() => assertServable(readConfig({ BASE_URL }))).to.throw(WrongSetting, 'set CHECKOUT=none');
      assertServable(readConfig({ BASE_URL, CHECKOUT: 'none' }));
    }
  });

  const wrong: readonly [name: string, value: string][] = [
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '1e3'],
    ['HOST', 'bourse.example'],
    ['CHECKOUT', 'stripe'],
    ['PUBLIC_RATE_LIMIT', '0'],
    ['PUBLIC_RATE_LIMIT', 'many'],
    ['TRUST_PROXY_HOPS', 'true'],
    ['MODEL_ROUTER_URL', 'http://router.example/api/v1/models'],
    ['MODEL_ROUTER_URL', 'https://me:secret@router.example/'],
    ['BASE_URL', 'bourse.example'],
    ['BASE_URL', 'ftp://bourse.example'],
    ['BASE_URL', 'https://bourse.example?x=1'],
    ['BASE_URL', 'https://me:secret@bourse.example'],
    ['BASE_URL', 'https://me@bourse.example/'],
    ['KEY_PREFIX', 'BRS'],
    ['KEY_PREFIX', 'a_b'],
    ['LOG_LEVEL', 'loud'],
    ['ROLE', 'boss'],
    ['EVENTSTORE_PREFIX', '$bourse.'],
    ['EVENTSTORE_PREFIX', 'bourse'],
    // It would begin with the prefix of another installation.
    ['EVENTSTORE_PREFIX', 'bourse.eu.'],
    ['REDIS_PREFIX', 'bourse'],
    ['ARTIFACTS_S3_BUCKET', 'Files'],
    ['ARTIFACTS_S3_BUCKET', 'files/of/ours'],
    ['ARTIFACTS_S3_ENDPOINT', 's3.bourse.example'],
    ['ARTIFACTS_S3_ENDPOINT', 'https://me:secret@s3.bourse.example'],
    ['ARTIFACTS_S3_REGION', 'Frankfurt (Main)'],
  ];
  for (const [name, value] of wrong) {
    it(`refuse ${name}=${value} in one line that says what would be right`, () => {
      const { expects } = Object.values(settings).find((one) => one.name === name) ?? { expects: '?' };
      expect(() => readConfig({ [name]: value })).to.throw(
        WrongSetting,
        `${name} is ${JSON.stringify(value)}; it must be ${expects}`,
      );
    });
  }

  it('keep files in a bucket when one is named, and want one with an endpoint', () => {
    const env = { ARTIFACTS_S3_BUCKET: 'files', ARTIFACTS_S3_REGION: 'eu-central-1' };
    const bucket = { bucket: 'files', region: 'eu-central-1', endpoint: undefined };
    expect(readConfig(env).artifactsBucket).to.deep.equal(bucket);
    expect(() => readConfig({ ARTIFACTS_S3_ENDPOINT: 'https://s3.bourse.example' })).to.throw(
      WrongSetting,
      'ARTIFACTS_S3_ENDPOINT is set without ARTIFACTS_S3_BUCKET',
    );
  });

  it('name each shared engine with its prefix, and never show the password of one', () => {
    const env = { EVENTSTORE_URL: 'esdb://db:2113', REDIS_URL: 'redis://cache', REDIS_PREFIX: 'staging:' };
    expect(readConfig(env)).to.deep.include({
      eventStore: { url: 'esdb://db:2113', prefix: 'bourse.' },
      mongoUrl: undefined,
      redis: { url: 'redis://cache', prefix: 'staging:' },
    });
    for (const name of ['EVENTSTORE_URL', 'MONGODB_URL', 'REDIS_URL']) {
      expect(() => readConfig({ [name]: 'http://admin:changeit@db' }))
        .to.throw(WrongSetting, `${name} is 24 characters long; it must be an address such as `)
        .with.property('message')
        .that.does.not.include('changeit@db;');
    }
  });

  it('want one secret for processes that share a log and do parts of the work', () => {
    const env = { ROLE: 'api', EVENTSTORE_URL: 'esdb://db:2113' };
    expect(() => readConfig(env)).to.throw(WrongSetting, 'SIGNING_SECRET must be set for ROLE=api');
    expect(readConfig({ ...env, SIGNING_SECRET: 'x'.repeat(32) }).role).to.equal('api');
    expect(readConfig({ ...env, ROLE: 'all' }).role, 'alone it keeps its own').to.equal('all');
    expect(readConfig({ ROLE: 'api' }).role, 'the data folder is shared').to.equal('api');
  });

  it('do not show a secret that is wrong', () => {
    const secret = 'too short to sign';
    expect(() => readConfig({ SIGNING_SECRET: secret }))
      .to.throw(WrongSetting, 'SIGNING_SECRET is 17 characters long; it must be at least 32 characters')
      .with.property('message')
      .that.does.not.include(secret);
  });

  it('are all in the help and, word for word, in docs/settings.md (npm run settings writes it)', () => {
    for (const { name } of Object.values(settings)) expect(settingsHelp()).to.include(name);
    expect(readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')).to.equal(
      settingsMarkdown(),
    );
  });
});
