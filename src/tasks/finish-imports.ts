/** Twice a minute, on one node: imports whose process died are finished. */
import { randomUUID } from 'node:crypto';
import { type ImportDocument, IMPORTS } from '../../projections/imports.ts';
import type { TaskKind } from '../background/task-runner.ts';
import { finishImport } from '../importing/finish-import.ts';
import type { ImportServices } from '../importing/import-services.ts';
import { parseDocument } from '../operations/read-view.ts';
import type { Services } from '../operations/services.ts';

const EVERY_MS = 30_000;
/** Whoever imports has this long to do so alone; if it takes longer, both add the same. */
const ALONE_MS = 60_000;
const MAX_IMPORTS = 100;

export function finishImports(services: ImportServices & Pick<Services, 'views'>): TaskKind {
  return {
    name: 'finish-imports',
    concurrency: 1,
    leaseMs: 10 * 60_000,
    retry: { firstPauseMs: 1_000, maxPauseMs: EVERY_MS, giveUpAfterMs: Infinity },
    async run(_task, { nowMs }) {
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
      for (const row of rows) await finishImport(services, parseDocument<ImportDocument>(row).dataset, cause);
      return { kind: 'repeat', atMs: nowMs + EVERY_MS };
    },
  };
}
