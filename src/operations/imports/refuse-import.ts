/** The no to an import as a whole, with the lines that led to it. */
import type { ImportOutcome } from '../../importing/import-rows.ts';
import { idempotencyMismatch } from '../idempotency.ts';
import { type Detail, refuse } from '../refusals.ts';

type RefusedImport = Extract<ImportOutcome, { ok: false }>;

/** The report of an import that is taken tells more. */
const MOST_LINES = 100;

export function refuseImport({ refusal, report }: RefusedImport) {
  const details: readonly Detail[] = (report?.refused ?? [])
    .slice(0, MOST_LINES)
    .map(({ line, reason }) => ({ path: `line ${line}`, message: reason }));
  // Rows that may be among the refused ones are kept, whatever is said.
  const isKept = (report?.missingKept ?? 0) > 0;
  switch (refusal.kind) {
    case 'unreadable':
      return refuse('invalid_request', `Nothing was imported: the body cannot be read: ${refusal.reason}.`, {
        details: [{ path: '', message: refusal.reason }],
      });
    case 'no_rows':
      return refuse(
        'conflict',
        `Nothing was imported: the body has no row that can be taken${isKept ? '' : '; yesRetireMany takes that as complete'}.`,
        { details },
      );
    case 'retires_many': {
      const { retired, listed } = refusal;
      const missing = { path: '', message: `lacks ${retired} of ${listed} listed rows`, value: `${retired}` };
      return refuse(
        'conflict',
        `Nothing was imported: ${retired} of ${listed} listed rows are missing, which is more than a fifth; ${isKept ? 'they may be among the refused rows: mend those' : 'yesRetireMany retires them'}.`,
        { details: [missing, ...details] },
      );
    }
    case 'overtaken':
      return refuse('conflict', 'Nothing was imported: another import of this data set came first.');
    case 'other_request':
      return idempotencyMismatch();
    case 'abandoned':
      return refuse(
        'conflict',
        `${refusal.importId} was abandoned: not all of its rows were added, since what was staged of them is gone. Send it again.`,
      );
  }
}
