import { expect } from 'chai';
import { OLDEST_VERSION as OLDEST_REDIS } from '../../infra/redis/server-check.ts';
import { settings } from '../../src/settings/settings.ts';
import { composeServices, isProjectPath, projectFile, sourceText } from '../support/deployment.ts';

const SETTING_NAMES: readonly string[] = Object.values(settings).map(({ name }) => name);

describe('the pages on running it', () => {
  const PAGES = ['operations.md', 'operations-distributed.md'];
  const pageOf = (name: string): string => projectFile(`docs/${name}`);

  it('point at what there is', () => {
    for (const page of PAGES) {
      for (const [, path = '', heading] of pageOf(page).matchAll(/\]\((?!http)([^)#]*)(?:#([^)]*))?\)/g)) {
        expect(isProjectPath(`docs/${path}`), path).to.equal(true);
        if (heading === undefined) continue;
        const headings = pageOf(path || page).matchAll(/^## (.*)$/gm);
        const anchors = [...headings].map(([, text = '']) => text.toLowerCase().replaceAll(' ', '-'));
        expect(anchors, `${path}#${heading}`).to.include(heading);
      }
    }
  });

  it('name settings that there are', () => {
    const notOurs = ['SIGINT', 'SIGTERM', 'BGSAVE'];
    for (const page of PAGES) {
      for (const [, name = ''] of pageOf(page).matchAll(/`([A-Z][A-Z0-9_]{3,})`/g)) {
        if (!notOurs.includes(name)) expect([...SETTING_NAMES, 'SITE_ADDRESS'], page).to.include(name);
      }
    }
  });

  it('quote log lines that are written', () => {
    const source = sourceText('src');
    const [, alarms = ''] = /^## Alarms$([^]*?)^## /m.exec(pageOf('operations-distributed.md')) ?? [];
    const lines = [...alarms.matchAll(/`([a-z]+(?: [a-z]+)+)`/g)].map(([, line = '']) => line);
    expect(lines).to.include('operation failed');
    for (const line of lines.filter((one) => !one.startsWith('bourse ')))
      expect(source, line).to.include(`'${line}'`);
  });

  it('want no newer an engine than the compose file starts, and no older one than the service takes', () => {
    const page = pageOf('operations-distributed.md');
    const wanted = (engine: string): string | undefined =>
      new RegExp(`^\\| ${engine}.*?\\| (?<version>[\\d.]+) or newer`, 'm').exec(page)?.groups?.['version'];
    const started = composeServices({ SIGNING_SECRET: 'c'.repeat(64) });
    for (const [engine, service] of [
      ['EventStoreDB', 'eventstore'],
      ['MongoDB', 'mongodb'],
      ['Redis', 'redis'],
    ] as const) {
      const version = /:(?<version>[\d.]+)/.exec(started[service]?.image ?? '')?.groups?.['version'];
      expect(versionNumber(version), engine).to.be.at.least(versionNumber(wanted(engine)));
    }
    expect(versionNumber(wanted('Redis'))).to.equal(versionNumber(OLDEST_REDIS));
    const [major, minor] = (wanted('EventStoreDB') ?? '').split('.');
    expect(sourceText('infra/eventstoredb')).to.include(`OLDEST = { major: ${major}, minor: ${minor} }`);
  });
});

/** 7.4.2 as 7004002, so that versions compare. */
function versionNumber(version = 'none'): number {
  const [major, minor = 0, patch = 0] = version.split('.').map(Number);
  return Number(major) * 1e6 + minor * 1e3 + patch;
}
