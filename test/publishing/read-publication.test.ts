import { expect } from 'chai';
import { lineOf, readPublication } from '../../src/publishing/read-publication.ts';
import { AN_AGENT } from './publication.fixture.ts';

const faultsIn = (text: string) => {
  const read = readPublication(text);
  return read.ok ? [] : read.faults.map(({ path, line, message }) => `${line} ${path}: ${message}`);
};

describe('A publication', () => {
  it('is read from YAML, with days and defaults filled in', () => {
    const read = readPublication(`agents:${AN_AGENT}`);
    if (!read.ok) throw new Error(JSON.stringify(read.faults));
    const [entry] = read.publication.agents;
    expect(entry).to.deep.include({ slug: 'invoice-matcher', integrations: [], links: {}, assessments: [] });
    expect(entry?.evidence[0]?.issuedAt).to.equal('2025-12-31T00:00:00.000Z');
    expect(lineOf(read.lines, 'agents.0.evidence.0.kind')).to.equal(13);
    expect(lineOf(read.lines, 'agents.0.evidence.0.nothing')).to.equal(12);
    expect(lineOf(read.lines, 'nothing.0')).to.equal(1);
  });

  it('is read from JSON just as well', () => {
    expect(readPublication('{"suspensions": [{"agent": "a", "reason": "Silent."}]}').ok).to.equal(true);
  });

  it('may be empty', () => {
    expect(readPublication('').ok).to.equal(true);
  });

  it('names every fault by its line and path', () => {
    const text = `agents:${AN_AGENT.replace('4900', '-1').replace('kind: policy', 'kind: rumour').replace('[finance]', '[Finance]')}`;
    expect(faultsIn(text)).to.deep.equal([
      '7 agents.0.categories.0: must be lower-case words joined by hyphens, such as invoice-matcher',
      '10 agents.0.pricing.amountCents: must be 0 cents or more',
      '13 agents.0.evidence.0.kind: must be one of identity_record, policy, certificate, audit_report, penetration_test, benchmark, test_run, monitoring_report, customer_reference, attestation',
    ]);
  });

  it('says what is missing', () => {
    expect(faultsIn('suspensions:\n  - agent: a\n')).to.deep.equal(['2 suspensions.0.reason: is required']);
  });

  it('does not take a field that it does not know', () => {
    expect(faultsIn('agent: []')).to.deep.equal(['1 agent: is not a known field']);
    expect(faultsIn(`agents:${AN_AGENT}    colour: red\n`)).to.deep.equal([
      '18 agents.0.colour: is not a known field',
    ]);
  });

  it('does not take a name twice', () => {
    expect(faultsIn(`agents:${AN_AGENT}${AN_AGENT.slice(1)}`)).to.deep.equal([
      '18 agents.1: invoice-matcher stands here twice',
    ]);
  });

  it('has addresses as a browser reads them, and nobody’s password', () => {
    const linked = (url: string): string =>
      `agents:${AN_AGENT}    links: { homepage: ${JSON.stringify(url)} }\n`;
    const homepageOf = (url: string): unknown => {
      const read = readPublication(linked(url));
      return read.ok ? read.publication.agents[0]?.links.homepage : read.faults;
    };
    expect(homepageOf('https://bourse.example/ok')).to.equal('https://bourse.example/ok');
    expect(homepageOf('https://BOURSE.example')).to.equal('https://bourse.example/');
    expect(homepageOf('https://bourse.example/\u202egnp.exe')).to.equal(
      'https://bourse.example/%E2%80%AEgnp.exe',
    );
    expect(homepageOf('https://bourse.example/\u001b[31m')).to.equal('https://bourse.example/%1B[31m');
    for (const url of ['https://me@bourse.example/', 'https://me:secret@bourse.example/'])
      expect(faultsIn(linked(url))).to.deep.equal([
        '18 agents.0.links.homepage: must not hold a user name or a password',
      ]);
    const long = `https://bourse.example/${'ü'.repeat(900)}`;
    expect(faultsIn(linked(long))[0]).to.include('must have at most 2000 characters when encoded');
  });

  const hostile: Record<string, [string, RegExp]> = {
    'duplicate keys': ['agents: []\nagents: []\n', /^2 : the key agents stands here twice$/],
    'an alias': ['suspensions: &a []\nretirements: *a\n', /^1 : anchors and aliases are not read/],
    'an alias bomb': [
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcdefghij'[index]},`.repeat(9)}]`)
        .join('\n')}\n`,
      /^1 : anchors and aliases are not read/,
    ],
    'a merge key': ['agents:\n  - <<: { slug: a }\n', /agents\.0\.<<: is not a known field/],
    'an unknown tag': ['agents: !!js/function "x"\n', /Unresolved tag/],
    'a second document': ['agents: []\n---\nagents: []\n', /multiple documents/],
    'deep nesting of flow lists': ['['.repeat(4_000_000), /nested deeper than 32 levels/],
    'deep nesting of maps in maps': ['{a: '.repeat(100_000), /nested deeper than 32 levels/],
    'deep nesting on one line': ['- '.repeat(100_000), /nested deeper than 32 levels/],
    'deep nesting by indentation': [
      Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      /nested deeper than 32 levels/,
    ],
    'wrong escapes in a row': [`"${'\\q'.repeat(100_000)}"`, /more than 100 escapes mean nothing/],
    'brackets that were not opened': ['}\n'.repeat(2_000_000), /closed that was not opened/],
    'more entries than a file can mean': ['- {}\n'.repeat(150_000), /more than 100000 entries/],
    'very many keys': [
      Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n'),
      /a map has more than 1000 keys/,
    ],
    'a prototype': ['__proto__: { agents: [] }\n', /__proto__: is not a known field/],
    'half a character': [String.raw`agents:${'\n'}  - slug: "\ud83d"`, /^2 : half a character stands here/],
    'half a character in a key': [String.raw`"\ude00": []`, /^1 : half a character stands here/],
    'what is no map': ['- a\n', /^1 : /],
  };
  for (const [what, [text, fault]] of Object.entries(hostile)) {
    it(`refuses ${what}`, () => {
      expect(faultsIn(text).join('\n')).to.match(fault);
    });
  }
});
