/** The rows of a data set as its log has them: of each its digest, and whether it is listed. */
import { decodeEvent } from '../../events/catalog.ts';
import type { Attribution, DataSetFact } from '../../events/data-set-events.ts';
import type { EventStore, ReadOptions } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { dataSetDecider } from '../../commands/data-set/data-set.ts';
import { streamIdOf } from '../commanding/command-runner.ts';
import { qualifierOf } from './identify-row.ts';

export interface KnownRow {
  digest: string;
  isListed: boolean;
  /** Where it stands in the source that is being imported; 0 while it was not met there. */
  line: number;
  /** Of the row as it was before this import: what tells it from others of its address and name. */
  readonly qualifier: string;
}

export interface KnownRows {
  /** The last import that there was; null before the first. */
  readonly after: string | null;
  readonly rows: Map<string, KnownRow>;
  /** As it was said last. */
  readonly attribution: Attribution | null;
  /** The import that was broken off and is to be finished first. */
  readonly underWay: string | null;
  /** The import that the command began before; null where it began none. */
  readonly answered: BegunImport | null;
}

export type BegunImport = Extract<DataSetFact, { type: 'ImportBegun' }>['data'];

/** The stream of a data set. */
export function readDataSet(
  events: EventStore,
  dataset: string,
  options?: ReadOptions,
): AsyncIterable<RecordedEvent> {
  return events.read(streamIdOf(dataSetDecider, dataset), options);
}

/** Some hundred bytes for each row, however much the rows say. */
export async function readKnownRows(
  events: EventStore,
  dataset: string,
  commandId: string | null = null,
): Promise<KnownRows> {
  const rows = new Map<string, KnownRow>();
  /** Of many rows one category is the same: each text is kept once. */
  const qualifiers = new Map<string, string>();
  let after: string | null = null;
  let underWay: string | null = null;
  let attribution: Attribution | null = null;
  let answered: BegunImport | null = null;
  for await (const recorded of readDataSet(events, dataset)) {
    const event = decodeEvent(recorded);
    switch (event.type) {
      case 'ImportBegun':
        underWay = event.data.importId;
        ({ attribution } = event.data);
        if (event.meta.commandId === commandId) answered = event.data;
        break;
      case 'RowsListed':
      case 'RowsRevised':
      case 'RowsReturned':
        for (const { id, digest, fields } of event.data.rows) {
          const text = qualifierOf(fields);
          const qualifier = qualifiers.get(text) ?? text;
          qualifiers.set(qualifier, qualifier);
          rows.set(id, { digest, isListed: true, line: 0, qualifier });
        }
        break;
      case 'RowsRetired':
        for (const id of event.data.ids) {
          const row = rows.get(id);
          if (row !== undefined) row.isListed = false;
        }
        break;
      case 'ImportFinished':
      case 'ImportAbandoned':
        after = event.data.importId;
        underWay = null;
        break;
      default:
        throw new Error(`${event.type} is no event of a data set`);
    }
  }
  return { after, rows, attribution, underWay, answered };
}
