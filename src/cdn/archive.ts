import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ExportEntry } from '../domain/data-export/index.js';

/**
 * Writes a ZIP archive while it is read, with one entry at a time. An error of an entry destroys the stream. If the
 * stream is destroyed, no further entry is requested.
 * @param mtime time of all entries
 */
export function archiveOf(entries: AsyncGenerator<ExportEntry>, mtime: Date): Readable {
  const zip = new ZipFile();
  const archive = zip.outputStream as Readable;
  const gone = new AbortController();
  archive.once('close', () => gone.abort());
  const add = async ({ path, content, isText }: ExportEntry) => {
    zip.addReadStream(content, path, { mtime, compress: isText });
    try {
      await finished(content, { signal: gone.signal });
    } finally {
      content.destroy();
    }
  };
  const addAll = async () => {
    for await (const entry of entries) await add(entry);
    zip.end();
  };
  zip.once('error', (error: Error) => archive.destroy(error));
  addAll().catch((error: Error) => archive.destroy(error));
  return archive;
}
