import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const endings: (() => Promise<unknown>)[] = [];

/** Notes what must be undone when the measurements are over, however they end. */
export function atEnd(ending: () => Promise<unknown>): void {
  endings.push(ending);
}

/** Undoes everything noted so far, the latest first. */
export async function cleanUp(): Promise<void> {
  for (const ending of endings.splice(0).reverse()) await ending();
}

/** A folder that is removed at the end. */
export async function throwAwayFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
