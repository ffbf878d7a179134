/** Run by spender.ts. */
import { once } from 'node:events';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { spendMany } from './run-commands.ts';
import type { SpendingErrand } from './spender.ts';

const [, , path = '', errandJson = ''] = process.argv;
// Written by startSpender.
const { mandateId, count, amountCents } = JSON.parse(errandJson) as SpendingErrand;

const { store } = await openSqliteLog({ path });
const runner = createCommandRunner(store);
process.send?.('ready');
await once(process, 'message');
process.send?.(await spendMany(runner, mandateId, count, amountCents));
await store.close();
process.disconnect();
