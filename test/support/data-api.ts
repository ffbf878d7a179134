/** The Data API over real HTTP, with data sets to read and keys of accounts with a plan. */
import { sourceDecider } from '../../commands/data-set/source.ts';
import type { PlanName } from '../../events/plan.ts';
import { changePlan } from '../../src/operations/plans/change-plan.ts';
import type { ImportRequest } from '../../src/importing/import-rows.ts';
import { importAll, reportOf, type Row } from '../importing/importing.ts';
import {
  type ApiOptions,
  startApi,
  type TestAnswer,
  type TestApi,
  type TestKey,
  type WantedKey,
} from './api.ts';
import { call } from './run-commands.ts';

export interface DataApi extends TestApi {
  /** As a customer of the largest plan reads it. */
  readonly read: (path: string, headers?: Record<string, string>) => Promise<TestAnswer>;
  /** The answers of all pages, by their `nextCursor`. */
  readonly walk: (path: string) => Promise<readonly TestAnswer[]>;
  /** Resolves when the views show the rows. */
  readonly importInto: (
    dataset: string,
    rows: readonly Row[],
    more?: Partial<ImportRequest>,
  ) => Promise<void>;
  /** As its upstream does when it answers with nothing. */
  readonly degrade: (dataset: string) => Promise<void>;
  /** A key of a new account with this plan, or with none. */
  readonly customer: (plan: PlanName | null, wanted?: WantedKey) => Promise<TestKey>;
}

export const LIST_ATTRIBUTION = { text: 'The list and its contributors', url: null, licence: 'MIT' };

export async function startDataApi(options: ApiOptions = {}): Promise<DataApi> {
  const api = await startApi(options);
  const { services } = api;
  let accounts = 0;
  async function customer(plan: PlanName | null, wanted: WantedKey = {}): Promise<TestKey> {
    const account = `customer-${(accounts += 1)}`;
    const key = await api.newKey({ account, scopes: ['data:read'], ...wanted });
    const call = { at: new Date().toISOString(), actor: 'cli', requestId: 'test', commandId: account };
    if (plan !== null) await changePlan(services, account, { type: 'ChoosePlan', plan }, call);
    return key;
  }
  const { key } = await customer('enterprise');
  const read = (path: string, headers: Record<string, string> = {}) => api.get(path, { key, headers });
  return {
    ...api,
    read,
    customer,
    async walk(path) {
      const answers = [await read(path)];
      for (let next = answers[0]?.body.meta['nextCursor']; typeof next === 'string';) {
        const answer = await read(
          `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(next)}`,
        );
        answers.push(answer);
        next = answer.body.meta['nextCursor'];
      }
      return answers;
    },
    async degrade(dataset) {
      const fault = { reason: 'empty', detail: 'its list is empty' } as const;
      await services.commands.run(sourceDecider, dataset, { type: 'ReportSource', dataset, fault }, call());
      await services.projector.caughtUp();
    },
    async importInto(dataset, rows, more = {}) {
      const cause = { at: new Date().toISOString(), actor: 'cli', requestId: 'test' };
      await reportOf(importAll(services, rows, { dataset, attribution: LIST_ATTRIBUTION, cause, ...more }));
      await services.projector.caughtUp();
    },
  };
}

/** The named field of each row of these answers. */
export function fieldOf(name: string, ...answers: readonly TestAnswer[]): unknown[] {
  return answers.flatMap(({ body }) => body.data.map((row) => row[name]));
}
