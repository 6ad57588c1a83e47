import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Reader } from '../../infra/database/index.js';
import type { BlobStore } from '../../infra/storage/blobs.js';

/** A file of the archive. The next one is available after this one was read. */
export interface ExportEntry {
  path: string;
  content: Readable;
  /** Whether compression makes it smaller. */
  isText: boolean;
}

/** The stores that an export reads, and the person whose data it collects. */
export interface ExportSource {
  read: Reader;
  blobs: BlobStore;
  userId: bigint;
  /** Of the instance. */
  publicUrl: string;
  startedAt: Date;
}

/** So that memory stays flat, however much there is. */
export const ROWS_PER_PAGE = 250;

/** Reads pages until one is not full. @param readPage gets the last row of the page before */
export async function* pagesOf<Row>(readPage: (last: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row[]> {
  let last: Row | undefined;
  do {
    const page = await readPage(last);
    if (page.length > 0) yield page;
    last = page.length === ROWS_PER_PAGE ? page.at(-1) : undefined;
  } while (last !== undefined);
}

/** The condition and the order of a page by id. */
export function byId(last: { id: bigint } | undefined) {
  const where = last === undefined ? {} : { id: { gt: last.id } };
  return { where, orderBy: { id: 'asc' }, take: ROWS_PER_PAGE } as const;
}

/** JSON cannot hold an id as a number. */
function json(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? String(part) : part), indent);
}

export function textEntry(path: string, text: string): ExportEntry {
  return entryOf(path, [text]);
}

export function jsonEntry(path: string, value: object): ExportEntry {
  return textEntry(path, `${json(value, 2)}\n`);
}

/** One JSON array. */
export function arrayEntry(path: string, pages: AsyncIterable<object[]>): ExportEntry {
  return entryOf(path, arrayText(pages));
}

async function* arrayText(pages: AsyncIterable<object[]>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const page of pages) {
    yield `${before}${page.map((row) => json(row, 2)).join(',\n')}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** One JSON object in each line. */
export function linesEntry(path: string, pages: AsyncIterable<object[]>): ExportEntry {
  return entryOf(path, linesText(pages));
}

async function* linesText(pages: AsyncIterable<object[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((row) => `${json(row)}\n`).join('');
}

function entryOf(path: string, text: Iterable<string> | AsyncIterable<string>): ExportEntry {
  return { path, content: Readable.from(text, { objectMode: false }), isText: true };
}

/** Null if the file is missing. @throws an error of the store */
export async function fileEntry(blobs: BlobStore, path: string, key: string): Promise<ExportEntry | null> {
  if ((await blobs.size(key)) === null) return null;
  const content = blobs.read(key);
  try {
    // The file may be removed until it is open.
    await once(content, 'readable');
  } catch (error) {
    if ((await blobs.size(key)) === null) return null;
    throw error;
  }
  return { path, content, isText: false };
}
