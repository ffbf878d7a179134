/** Each finding that the checks of the log can print has a row for the operator: what it means, and what to try first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../support/project-root.ts';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

/** What a source file prints, and how the row of its table begins to say so. */
const FINDINGS = [
  ['src/checking/compare-followers.ts', 'and the log ${ends}', 'and the log ends at Q'],
  ['src/checking/compare-followers.ts', 'follows another log', '… follows another log'],
  ['src/checking/compare-followers.ts', 'has seen another event at', '… has seen another event at P'],
  [
    'src/checking/guarded-log.ts',
    'a loss of events was accepted while',
    'a loss of events was accepted while',
  ],
  [
    'src/checking/accept-loss.ts',
    'accepting the loss of events was broken off',
    'accepting the loss of events was broken off',
  ],
  [
    'src/checking/accept-loss.ts',
    'kept with the log, and the log ends before',
    'kept with the log, and the log ends before',
  ],
  ['src/checking/accept-loss.ts', 'bourse.db-head cannot be written', 'bourse.db-head` cannot be written'],
  ['src/checking/followers-of.ts', 'the file beside the log', 'the file beside the log has seen'],
  ['src/cli/log.ts', 'the log itself is damaged', 'the log itself is damaged'],
  ['src/checking/check-log.ts', 'was expected here', 'revision N was expected here'],
  ['src/checking/check-log.ts', 'its id is not that of what it says', 'its id is not that of what it says'],
  ['src/commanding/unchanged.ts', 'is not what was written', '… is not what was written'],
  ['src/commanding/unchanged.ts', 'was written after another event', '… was written after another event'],
  ['src/commanding/unchanged.ts', 'lacks its revision', '… lacks its revision N'],
  ['src/checking/check-log.ts', 'the chain of the mandate is broken', 'the chain of the mandate is broken'],
  ['infra/sqlite/log-inspection.ts', 'the running digest is not that', 'the running digest is not that'],
  [
    'infra/sqlite/log-inspection.ts',
    'events, and the log ends at',
    'the index of … holds N events, and the log ends at M',
  ],
  ['infra/sqlite/log-inspection.ts', 'is missing: ', 'revision N is missing'],
  [
    'src/migrating/unfinished-copy.ts',
    'the log is a copy that is not finished',
    'the log is a copy that is not finished',
  ],
  ['infra/sqlite/view-file.ts', 'do not belong together', 'do not belong together'],
  ['infra/sqlite/durable-file.ts', 'do not belong together', 'do not belong together'],
  [
    'projections/stored-document.ts',
    'a document of the views is damaged',
    'a document of the views is damaged',
  ],
  ['infra/sqlite/view-errors.ts', 'a document of the views is damaged', 'a document of the views is damaged'],
  ['projections/page-query.ts', 'has other fields or orders', '… has other fields or orders'],
  ['infra/sqlite/open-files.ts', 'was removed', 'was removed while it was open'],
  ['infra/sqlite/open-files.ts', 'was replaced', 'was replaced'],
  ['infra/eventstoredb/stream-reader.ts', 'has lost its event', 'has lost its event N'],
  ['infra/eventstoredb/failures.ts', 'was deleted in EventStoreDB', 'was deleted in EventStoreDB'],
] as const;

/** Where a finding of the checks is made: another of it wants a row of its own. */
const PLACES: Readonly<Record<string, number>> = {
  'src/checking/compare-followers.ts': 3,
  'src/checking/check-log.ts': 3,
  'infra/sqlite/log-inspection.ts': 3,
};

describe('Findings about the log', () => {
  const docs = read('docs/operations.md') + read('docs/operations-distributed.md');

  for (const [file, printed, row] of FINDINGS) {
    it(`${file} prints "${printed}", and the operator finds it`, () => {
      expect(read(file), 'what the code prints').to.include(printed);
      expect(docs, 'what the docs say').to.include(row);
    });
  }

  for (const [file, count] of Object.entries(PLACES)) {
    it(`${file} makes ${count} findings, all of them known here`, () => {
      const made = read(file).match(/\bproblem(?:: | = |\()[`']/g) ?? [];
      expect(made.length).to.equal(count);
    });
  }
});
