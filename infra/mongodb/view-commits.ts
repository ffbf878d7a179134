/**
 * Commits without transactions. What a commit writes goes into the journal first; with that one insert it has happened.
 * Then it is applied, and the checkpoint moved: whoever meets an entry that is not settled does that for its writer, and
 * nobody can commit from a checkpoint that is about to move. Why this holds: docs/decisions/031-commits-by-journal.md.
 */
import type { ViewCommit } from '../../projections/view-store.ts';
import { type CommitJournal, type Entry, prepareEntry, type PreparedEntry } from './commit-journal.ts';
import { type Change, changesOf, type Presence, presenceToldBy } from './document-changes.ts';
import { createPresenceCache } from './presence-cache.ts';
import type { ViewDocuments } from './view-documents.ts';
import type { Registry, GenerationStep } from './registry.ts';
import type { SettledEntries } from './settled-entries.ts';
import { type ViewLayout, viewLayout } from './view-layout.ts';

interface Start {
  readonly commit: ViewCommit;
  readonly layout: ViewLayout;
  readonly changes: readonly Change[];
  readonly prepared: PreparedEntry;
}

export type ViewCommits = ReturnType<typeof viewCommits>;

export function viewCommits(
  registry: Registry,
  journal: CommitJournal,
  documents: ViewDocuments,
  done: SettledEntries,
) {
  /** Where this process left the generations or last saw them. They may have moved since. */
  const standings = new Map<number, GenerationStep>();
  const seen = createPresenceCache();

  const look = async (): Promise<void> => {
    const rows = await registry.read();
    standings.clear();
    for (const row of rows) standings.set(row.generation, row);
    seen.keepOnly(standings);
  };
  const isAt = ({ generation, from }: ViewCommit): boolean => standings.get(generation)?.checkpoint === from;

  const startOf = async (commit: ViewCommit): Promise<Start | null> => {
    const { view, generation, to, writes, mark } = commit;
    const standing = standings.get(generation);
    const spec = await registry.specOf(generation);
    if (standing === undefined || spec?.name !== view) return null;
    const layout = viewLayout(generation, spec);
    const changes = changesOf(layout, writes);
    const claim = { generation, step: standing.step + 1, to, ...(mark && { mark }) };
    const prepared = await prepareEntry(claim, writes);
    return { commit, layout, changes, prepared };
  };

  /**
   * An entry counts if its step is the next one now that it is there: of a past step the first may be gone.
   * @returns those that count, with where their generations stand
   */
  const confirm = async (entries: ReadonlySet<Entry>): Promise<ReadonlyMap<Entry, GenerationStep>> => {
    const confirmed = new Map<Entry, GenerationStep>();
    if (entries.size === 0) return confirmed;
    await look();
    for (const entry of entries) {
      const standing = standings.get(entry.generation);
      if (standing?.step === entry.step - 1) confirmed.set(entry, standing);
      else await journal.withdraw(entry);
    }
    return confirmed;
  };

  const apply = async (
    { generation, step, to, mark }: Entry,
    before: GenerationStep,
    layout: ViewLayout,
    changes: readonly Change[],
    known: ReadonlyMap<string, Presence>,
  ): Promise<GenerationStep> => {
    const added = await documents.write(layout, step, changes, known);
    seen.applied(generation, step, changes);
    const count = added === null ? await documents.count(layout) : before.documents + added;
    const changedAt = changes.length === 0 ? before.changedAt : step;
    return { generation, step, checkpoint: to, documents: count, changedAt, ...(mark && { mark }) };
  };

  const settle = async (settled: readonly GenerationStep[]): Promise<void> => {
    if (settled.length === 0) return;
    await registry.settle(settled);
    for (const standing of settled) standings.set(standing.generation, standing);
    done.add(settled);
  };

  /** Does for others what they have left, or are doing. */
  const finish = async (generations: readonly number[]): Promise<void> => {
    const entries = generations.length === 0 ? [] : await journal.unsettled(generations);
    if (entries.length === 0) return;
    // After the journal: an entry whose step is still the next one has not been settled.
    await look();
    for (const entry of entries) {
      const before = standings.get(entry.generation);
      const spec = await registry.specOf(entry.generation);
      if (spec === undefined || before?.step !== entry.step - 1) continue;
      const layout = viewLayout(entry.generation, spec);
      const changes = changesOf(layout, await journal.writesOf(entry));
      // Some of it may be there already: what was seen of it is no help.
      await settle([await apply(entry, before, layout, changes, new Map())]);
    }
  };

  return {
    finish,
    /** The stored JSON of these keys; nothing for those that there are not. */
    async load(layout: ViewLayout, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const step = standings.get(layout.generation)?.step;
      const { json, presence } = await documents.load(layout, keys);
      if (step !== undefined) seen.loaded(layout.generation, step, presence);
      return json;
    },
    async commit(commits: readonly ViewCommit[]): Promise<readonly string[]> {
      if (!commits.every(isAt)) await look();
      const started = await Promise.all(commits.filter(isAt).map(startOf));
      const starts = started.filter((one) => one !== null);
      const won = await journal.insert(starts.map(({ prepared }) => prepared));
      const confirmed = await confirm(won);
      const applied: Promise<GenerationStep>[] = [];
      const taken = new Set<ViewCommit>();
      for (const { commit, layout, changes, prepared } of starts) {
        const before = confirmed.get(prepared.entry);
        if (before === undefined) continue;
        taken.add(commit);
        const known = new Map([...presenceToldBy(commit.writes), ...seen.at(commit.generation, before.step)]);
        applied.push(apply(prepared.entry, before, layout, changes, known));
      }
      await settle(await Promise.all(applied));
      const lost = starts.filter(({ prepared }) => !won.has(prepared.entry));
      await finish(lost.map(({ commit }) => commit.generation));
      return commits.filter((commit) => !taken.has(commit)).map(({ view }) => view);
    },
  };
}
