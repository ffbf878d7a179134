import { expect } from 'chai';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { retryPlan, startTaskRunner, type TaskKind } from '../../src/background/task-runner.ts';

const retry = { firstPauseMs: 1, maxPauseMs: 4, giveUpAfterMs: 60_000 };
const base = { name: 'k', concurrency: 2, leaseMs: 60_000, retry };

describe('The task runner', () => {
  it('tries a failed task again until it is done', async () => {
    const queue = createMemoryQueue();
    let runs = 0;
    const done = new Promise<void>((resolve) => {
      const kind: TaskKind = {
        ...base,
        async run() {
          runs += 1;
          if (runs < 3) throw new Error('not yet');
          resolve();
          return { kind: 'done' };
        },
      };
      const runner = startTaskRunner({ queue, kinds: [kind], now: Date.now, onError: () => {} });
      after(() => runner.stop());
    });
    await queue.add([{ id: 'a', name: 'k', payload: '', dueAtMs: 0 }]);
    await done;
    expect(runs).to.equal(3);
  });

  it('tells of a failed run by the very error, so that its kind and its stack are known', async () => {
    const queue = createMemoryQueue();
    const thrown = new TypeError('it cannot');
    const told = new Promise<unknown>((resolve) => {
      const kind: TaskKind = { ...base, run: () => Promise.reject(thrown) };
      const onError = (_kind: string, error: unknown): void => resolve(error);
      const runner = startTaskRunner({ queue, kinds: [kind], now: Date.now, onError });
      after(() => runner.stop());
    });
    await queue.add([{ id: 'a', name: 'k', payload: '', dueAtMs: 0 }]);
    expect(await told).to.equal(thrown);
  });

  it('gives a task up when its time is over, and repeats one that asks for it', async () => {
    const queue = createMemoryQueue();
    let failures = 0;
    let repeats = 0;
    const failing: TaskKind = {
      ...base,
      retry: { ...retry, giveUpAfterMs: -1 },
      run: async () => {
        failures += 1;
        throw new Error('never');
      },
    };
    const repeated = new Promise<void>((resolve) => {
      const repeating: TaskKind = {
        ...base,
        name: 'r',
        async run({ attempt }, { nowMs }) {
          expect(attempt).to.equal(1);
          repeats += 1;
          if (repeats < 3) return { kind: 'repeat', atMs: nowMs + 1 };
          resolve();
          return { kind: 'done' };
        },
      };
      const kinds = [failing, repeating];
      const runner = startTaskRunner({ queue, kinds, now: Date.now, onError: () => {} });
      after(() => runner.stop());
    });
    const tasks = ['k', 'r'].map((name) => ({ id: name, name, payload: '', dueAtMs: 0 }));
    await queue.add(tasks);
    await repeated;
    expect(failures).to.equal(1);
  });

  it('never runs more at once than it may', async () => {
    const queue = createMemoryQueue();
    let running = 0;
    let most = 0;
    let ended = 0;
    const all = new Promise<void>((resolve) => {
      const kind: TaskKind = {
        ...base,
        async run() {
          running += 1;
          most = Math.max(most, running);
          await new Promise(setImmediate);
          running -= 1;
          ended += 1;
          if (ended === 20) resolve();
          return { kind: 'done' };
        },
      };
      const runner = startTaskRunner({ queue, kinds: [kind], now: Date.now, onError: () => {} });
      after(() => runner.stop());
    });
    const tasks = Array.from({ length: 20 }, (_, i) => ({ id: `${i}`, name: 'k', payload: '', dueAtMs: 0 }));
    await queue.add(tasks);
    await all;
    expect(most).to.equal(2);
  });

  it('pauses longer after each failure, within its bounds and never past the end', () => {
    const policy = { firstPauseMs: 1_000, maxPauseMs: 10_000, giveUpAfterMs: 20_000 };
    for (const [attempt, least, most] of [
      [1, 500, 1_001],
      [2, 1_000, 2_001],
      [9, 5_000, 10_001],
    ] as const) {
      const pause = retryPlan(policy, { attempt, addedAtMs: 0 }, () => 0).retryAtMs() ?? -1;
      expect(pause).to.be.within(least, most);
    }
    expect(retryPlan(policy, { attempt: 1, addedAtMs: 0 }, () => 0).retryAtMs(15_000)).to.equal(15_000);
    expect(retryPlan(policy, { attempt: 9, addedAtMs: 0 }, () => 19_000).retryAtMs()).to.equal(null);
  });

  it('counts pauses from the end of a try, however long it took', () => {
    const policy = { firstPauseMs: 2_000, maxPauseMs: 2_000, giveUpAfterMs: 60_000 };
    let nowMs = 1_000;
    const plan = retryPlan(policy, { attempt: 1, addedAtMs: 0 }, () => nowMs);
    nowMs = 11_000;
    expect(plan.nowMs).to.equal(1_000);
    expect(plan.retryAtMs()).to.be.within(12_000, 13_001);
    expect(plan.retryAtMs(30_000)).to.equal(41_000);
    nowMs = 59_500;
    expect(plan.retryAtMs()).to.equal(null);
  });

  it('hands a failed task out again when the run has said', async () => {
    const queue = createMemoryQueue(() => 0);
    let atMs: number | undefined;
    const failed = new Promise<void>((resolve) => {
      const kind: TaskKind = {
        ...base,
        async run(_task, plan) {
          atMs = plan.retryAtMs(5_000) ?? undefined;
          return { kind: 'retry', error: new Error('not now'), ...(atMs === undefined ? {} : { atMs }) };
        },
      };
      const runner = startTaskRunner({ queue, kinds: [kind], now: () => 0, onError: () => resolve() });
      after(() => runner.stop());
    });
    await queue.add([{ id: 'a', name: 'k', payload: '', dueAtMs: 0 }]);
    await failed;
    while ((await queue.nextDueAtMs('k')) !== atMs) await new Promise((resolve) => setImmediate(resolve));
  });
});
