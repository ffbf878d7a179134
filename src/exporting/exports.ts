/**
 * Data sets as files. A file is made when somebody asks for it, whole and of one position of the log, and kept as long
 * as the data set stays as it is, so that its size and digest are known before its first byte is sent, and a slow
 * reader holds nobody up. The same position yields the same bytes in every process.
 */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { DataSetDocument } from '../../projections/data-sets.ts';
import { ViewBehind } from '../../projections/view-store.ts';
import type { ScratchFile } from '../ports/scratch.ts';
import { createTimeSlice } from '../timing/time-slice.ts';
import { type ExportFormat, fileNameOf, placeOf, rowWriter } from './row-formats.ts';
import { isListed, RowsMoved } from './row-pages.ts';
import { type WalkedSources, walkRows } from './walk-rows.ts';

export interface Manifest {
  /** Its name, such as `directory.mcp.servers.csv.gz`. */
  readonly file: string;
  readonly dataset: string;
  readonly format: ExportFormat;
  /** Of the last change of a row that it has; null of a data set without rows. */
  readonly position: string | null;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** RFC 3339. */
  readonly madeAt: string;
  readonly attribution: DataSetDocument['attribution'];
}

export interface ExportedFile {
  readonly manifest: Manifest;
  /** The bytes from `first` to `last`, both inclusive. */
  readonly read: (first: number, last: number) => AsyncIterable<Uint8Array>;
}

export interface Exports {
  /**
   * The file of the data set as it is now; made, where there is none yet.
   * @throws {ViewBehind} its view was built anew again and again while it was read
   * @throws {ScratchUnavailable}
   */
  readonly current: (set: DataSetDocument, format: ExportFormat) => Promise<ExportedFile>;
  /** One that is kept, of this position: the last one, or the one before it. */
  readonly kept: (dataset: string, format: ExportFormat, position: string) => ExportedFile | null;
  readonly close: () => Promise<void>;
}

/** As often as a view may be built anew while it is read, before whoever asks is told to come again. */
const MOST_TRIES = 5;
const BETWEEN_TRIES_MS = 500;
const PIECE_CHARS = 256 * 1_024;
/** Nobody has asked for them since: their room is given back when something is asked for. */
const UNASKED_MS = 60 * 60 * 1_000;

interface Kept extends ExportedFile {
  readonly file: ScratchFile;
}

interface Shelf {
  latest: Kept | null;
  before: Kept | null;
  making: Promise<Kept> | null;
  askedAtMs: number;
}

interface Parts extends WalkedSources {
  readonly now: () => number;
}

export function createExports({ now, ...sources }: Parts): Exports {
  const shelves = new Map<string, Shelf>();
  /** One is made at a time: they take turns at what they would take from one another. */
  let turn: Promise<unknown> = Promise.resolve();

  function shelfOf(name: string): Shelf {
    const shelf = shelves.get(name) ?? { latest: null, before: null, making: null, askedAtMs: 0 };
    shelves.set(name, shelf);
    shelf.askedAtMs = now();
    return shelf;
  }

  async function giveBackUnasked(): Promise<void> {
    for (const [name, shelf] of shelves) {
      if (shelf.making !== null || shelf.askedAtMs > now() - UNASKED_MS) continue;
      shelves.delete(name);
      await clear(shelf);
    }
  }

  async function make(set: DataSetDocument, format: ExportFormat): Promise<Kept> {
    for (let tries = 1; ; tries += 1) {
      const file = await sources.scratch.create();
      try {
        const written = await writeRows(sources, set, format, file);
        const { dataset, attribution } = set;
        const manifest = {
          file: fileNameOf(dataset, format),
          dataset,
          format,
          ...written,
          madeAt: new Date(now()).toISOString(),
          attribution,
        };
        return { manifest, file, read: (first, last) => file.read(first, last) };
      } catch (error) {
        await file.close();
        if (!(error instanceof RowsMoved)) throw error;
        if (tries === MOST_TRIES) throw new ViewBehind(placeOf(set).view);
      }
      await pause(BETWEEN_TRIES_MS);
    }
  }

  async function replace(shelf: Shelf, made: Kept): Promise<Kept> {
    const { latest, before } = shelf;
    // The data set is told of by another view, which may be elsewhere for a moment.
    if (latest !== null && latest.manifest.position === made.manifest.position) {
      await made.file.close();
      return latest;
    }
    shelf.latest = made;
    shelf.before = latest;
    await before?.file.close();
    return made;
  }

  return {
    async current(set, format) {
      await giveBackUnasked();
      const shelf = shelfOf(fileNameOf(set.dataset, format));
      const { latest } = shelf;
      if (latest !== null && latest.manifest.position === set.position) return latest;
      shelf.making ??= (async () => {
        const before = turn;
        const making = before.then(() => make(set, format));
        turn = making.catch(() => {});
        return replace(shelf, await making);
      })().finally(() => (shelf.making = null));
      return shelf.making;
    },
    kept(dataset, format, position) {
      const shelf = shelves.get(fileNameOf(dataset, format));
      const found = [shelf?.latest, shelf?.before].find((one) => one?.manifest.position === position);
      if (shelf !== undefined && found) shelf.askedAtMs = now();
      return found ?? null;
    },
    async close() {
      for (const shelf of shelves.values()) await clear(shelf);
      shelves.clear();
    },
  };
}

async function clear({ latest, before }: Shelf): Promise<void> {
  await latest?.file.close();
  await before?.file.close();
}

async function writeRows(
  sources: WalkedSources,
  set: DataSetDocument,
  format: ExportFormat,
  file: ScratchFile,
): Promise<Pick<Manifest, 'position' | 'rows' | 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  const slice = createTimeSlice();
  const place = placeOf(set);
  const { head, write } = rowWriter(format, place.columns);
  let rows = 0;
  let bytes = 0;
  let position: string | null = null;

  async function* pieces(): AsyncGenerator<Buffer> {
    const walk = walkRows(sources, place);
    let piece = head;
    try {
      for (let next = await walk.next(); ; next = await walk.next()) {
        if (next.done === true) {
          position = next.value;
          break;
        }
        for (const row of next.value) {
          if (!isListed(row)) continue;
          rows += 1;
          piece += write(row.json, row.fields);
          if (slice.isOver()) await slice.yield();
        }
        if (piece.length < PIECE_CHARS) continue;
        yield Buffer.from(piece);
        piece = '';
      }
    } finally {
      // Also where the file cannot be written any further: what is read is let go of.
      await walk.return(null);
    }
    if (piece !== '') yield Buffer.from(piece);
  }
  async function keep(source: AsyncIterable<Buffer>): Promise<void> {
    let writing = Promise.resolve();
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      await writing;
      writing = file.append(chunk);
      // It is waited for once the next piece is there, and told of then.
      writing.catch(() => {});
    }
    await writing;
  }

  if (format.endsWith('.gz')) await pipeline(pieces, createGzip(), keep);
  else await keep(pieces());
  return { position, rows, bytes, sha256: hash.digest('hex') };
}
