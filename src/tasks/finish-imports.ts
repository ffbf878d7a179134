/** Twice a minute, on one node: imports whose process died are finished. */
import { randomUUID } from 'node:crypto';
import { type ImportDocument, IMPORTS } from '../../projections/imports.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import type { TaskKind } from '../background/task-runner.ts';
import { finishImport } from '../importing/finish-import.ts';
import type { ImportServices } from '../importing/import-services.ts';
import { parseDocument } from '../../projections/stored-document.ts';
import { standingTask } from './standing-tasks.ts';

const EVERY_MS = 30_000;
/** Whoever imports has this long to do so alone; if it takes longer, both add the same. */
const ALONE_MS = 60_000;
const MAX_IMPORTS = 100;

export function finishImports(
  services: ImportServices & { readonly views: Pick<ViewStore, 'page'> },
): TaskKind {
  return standingTask('finish-imports', EVERY_MS, async (nowMs) => {
    const cause = {
      at: new Date(nowMs).toISOString(),
      actor: 'scheduler',
      requestId: `finish-${randomUUID()}`,
    };
    const { rows } = await services.views.page(IMPORTS, {
      filter: { status: 'under_way', begunAtMs: { max: nowMs - ALONE_MS } },
      order: '-begunAt',
      limit: MAX_IMPORTS,
    });
    const failures: Error[] = [];
    for (const row of rows) {
      const { dataset } = parseDocument<ImportDocument>(row);
      // One that cannot be finished keeps no other waiting.
      await finishImport(services, dataset, cause).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        failures.push(new Error(`${dataset}: ${reason}`, { cause: error }));
      });
    }
    if (failures.length > 0)
      throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  });
}
