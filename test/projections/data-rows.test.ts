import { expect } from 'chai';
import { dataSetDecider } from '../../commands/data-set/data-set.ts';
import type { DomainEvent } from '../../events/catalog.ts';
import { oddTexts } from '../../projections/data-rows.ts';
import { dataSets } from '../../projections/data-sets.ts';
import { directoryRowDocument, directoryRows } from '../../projections/directory-rows.ts';
import { imports } from '../../projections/imports.ts';
import { replay } from '../../projections/replay.ts';
import { TOOL_TEXTS, toolDocument, tools } from '../../projections/tools.ts';
import { inLogOrder, streamOf } from '../../src/operations/directory/example-history.ts';
import {
  ATTRIBUTION,
  begin,
  DAY_1,
  DAY_2,
  DAY_3,
  importIdOf,
  importsOf,
  listed,
  retired,
  returned,
  revised,
  row,
  SOURCE,
} from '../support/sample-data-set.ts';

const lens = row('lens', {
  name: 'Lens',
  url: 'https://lens.example/',
  category: 'Finance',
  pricing: 'Free',
  source: 'list',
});
const history = (dataset: string): readonly DomainEvent[] =>
  inLogOrder(
    importsOf(
      dataset,
      [DAY_1, [listed(lens, row('pen'))]],
      [DAY_2, [revised({ ...lens, fields: { ...lens.fields, name: 'Lens 2' } }), retired('pen')]],
      [DAY_3, [returned(row('pen'))]],
    ),
  );

describe('The view of tools', () => {
  it('shows a row as its source says it, with what we add', () => {
    const document = replay(tools, history('tools')).get('lens');
    expect(toolDocument.parse(document)).to.deep.equal(document);
    expect(document).to.deep.include({
      id: 'lens',
      dataset: 'tools',
      status: 'listed',
      name: 'Lens 2',
      category: 'Finance',
      firstSeenAt: DAY_1,
      updatedAt: DAY_2,
      sourceUrl: 'https://lens.example/',
      attribution: ATTRIBUTION.text,
    });
  });

  it('keeps a row that is retired, and its beginning when it returns', () => {
    const [twoDays] = [history('tools').slice(0, -3)];
    expect(replay(tools, twoDays).get('pen')).to.deep.include({ status: 'retired', updatedAt: DAY_2 });
    expect(replay(tools, history('tools')).get('pen')).to.deep.include({
      status: 'listed',
      firstSeenAt: DAY_1,
      updatedAt: DAY_3,
    });
  });

  it('has each row once in the order of changes, at its last change: a mirror misses none', () => {
    const rows = [...replay(tools, history('tools')).values()];
    const inOrder = rows.sort((a, b) => (a.position < b.position ? -1 : 1));
    expect(inOrder.map(({ id, status }) => [id, status])).to.deep.equal([
      ['lens', 'listed'],
      ['pen', 'listed'],
    ]);
    const retiredPen = replay(tools, history('tools').slice(0, -3));
    expect(
      [...retiredPen.values()].sort((a, b) => (a.position < b.position ? -1 : 1)).at(-1)?.status,
    ).to.equal('retired');
  });

  it('filters by what sources say, whatever its case', () => {
    const document = replay(tools, history('tools')).get('lens');
    expect(document && tools.index(document)).to.deep.include({
      category: 'finance',
      pricing: 'free',
      source: 'list',
      nameKey: 'lens 2',
      updatedAtMs: Date.parse(DAY_2),
    });
  });

  it('keeps what a source says under a name that is ours here', () => {
    const odd = row('odd', { name: 'Odd', status: 'beta', id: 'odd' });
    const document = replay(tools, inLogOrder(importsOf('tools', [DAY_1, [listed(odd)]]))).get('odd');
    expect(document).to.deep.include({ status: 'listed', id: 'odd', sourceFields: { status: 'beta' } });
  });

  it('keeps beside the others what is no text where the field is one', () => {
    const said = { name: 'Odd', category: ['a'], pricing: 5, description: null, stars: 7 };
    const odd = row('odd', said);
    const document = replay(tools, inLogOrder(importsOf('tools', [DAY_1, [listed(odd)]]))).get('odd');
    expect(document).to.deep.include({
      name: 'Odd',
      stars: 7,
      sourceFields: { category: ['a'], pricing: 5, description: null },
    });
    expect(document).to.not.have.any.keys('category', 'pricing', 'description');
    expect(oddTexts(said, TOOL_TEXTS)).to.deep.equal([
      'category is no text, and kept under sourceFields',
      'pricing is no text, and kept under sourceFields',
    ]);
  });

  it('links to addresses of the web alone', () => {
    const sourceUrlOf = (url: unknown) => {
      // A source may hold anything.
      const odd = row('odd', { name: 'Odd', url: url as string });
      return replay(tools, inLogOrder(importsOf('tools', [DAY_1, [listed(odd)]]))).get('odd')?.sourceUrl;
    };
    for (const url of ['https://a.example/', 'HTTP://a.example/b'])
      expect(sourceUrlOf(url), url).to.equal(url);
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://a.example/',
      '//a.example',
      'https://',
      7,
    ])
      expect(sourceUrlOf(url), String(url)).to.equal(null);
  });

  it('shows no rows of other data sets', () => {
    expect(replay(tools, history('directory/mcp/servers')).size).to.equal(0);
  });
});

describe('The view of directory rows', () => {
  it('tells rows of the same id in different directories apart', () => {
    const rows = replay(directoryRows, [
      ...history('directory/mcp/servers'),
      ...history('directory/n8n/templates'),
    ]);
    expect([...rows.keys()].sort()).to.deep.equal([
      'mcp/servers/lens',
      'mcp/servers/pen',
      'n8n/templates/lens',
      'n8n/templates/pen',
    ]);
    const document = rows.get('mcp/servers/lens');
    expect(directoryRowDocument.parse(document)).to.deep.equal(document);
  });
});

describe('The view of data sets', () => {
  it('counts the rows that are listed and retired, and tells of the last change', () => {
    const events = history('directory/mcp/servers');
    const counts = (upTo: number) => replay(dataSets, events.slice(0, upTo)).get('directory/mcp/servers');
    expect(counts(7)).to.deep.include({ listed: 1, retired: 1, updatedAt: DAY_2 });
    expect(counts(events.length)).to.deep.include({
      kind: 'directory',
      platform: 'mcp',
      contentType: 'servers',
      listed: 2,
      retired: 0,
      updatedAt: DAY_3,
      attribution: ATTRIBUTION,
    });
  });
});

describe('The kinds of data sets', () => {
  it('are tools, models, and whatever else is a directory', () => {
    const kindOf = (dataset: string) => {
      const document = replay(dataSets, history(dataset)).get(dataset);
      return [document?.kind, document?.platform, document?.contentType];
    };
    expect(kindOf('tools')).to.deep.equal(['tools', null, null]);
    expect(kindOf('models')).to.deep.equal(['models', null, null]);
    expect(kindOf('directory/mcp/servers')).to.deep.equal(['directory', 'mcp', 'servers']);
  });
});

describe('The view of imports', () => {
  it('says of one that was abandoned when it was', () => {
    const importId = importIdOf('half');
    const abandon = {
      type: 'AbandonImport',
      dataset: 'tools',
      importId,
      reason: 'its rows are gone',
    } as const;
    const commands = [
      [DAY_1, begin('tools', 'half', null, [listed(lens)], 2)],
      [DAY_2, abandon],
    ] as const;
    const half = streamOf(dataSetDecider, 'tools', ...commands);
    const shown = (events: typeof half) => replay(imports, inLogOrder(events)).get(importId);
    expect(shown(half.slice(0, -1))).to.include({ status: 'under_way', endedAt: null });
    expect(shown(half)).to.include({ status: 'abandoned', begunAt: DAY_1, endedAt: DAY_2 });
  });

  it('says who imported what from which source', () => {
    const all = replay(imports, history('tools'));
    expect(all.get(importIdOf('import 1'))).to.deep.include({
      dataset: 'tools',
      status: 'finished',
      source: SOURCE,
      begunAt: DAY_2,
      endedAt: DAY_2,
    });
  });
});
