import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const endings: (() => Promise<unknown>)[] = [];

/** Registers a clean-up for the end of the measurements, also after a failure. */
export function atEnd(ending: () => Promise<unknown>): void {
  endings.push(ending);
}

/** Runs all clean-ups, the latest first. */
export async function cleanUp(): Promise<void> {
  for (const ending of endings.splice(0).reverse()) await ending();
}

export async function throwAwayFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
