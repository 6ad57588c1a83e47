import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIZE = '12m';

function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'ignore' });
}

/** The reason why a small file system cannot be made, or null. */
export function missingForMount(): string | null {
  try {
    mountSmallDisk().remove();
    return null;
  } catch {
    return 'needs the right to mount a tmpfs';
  }
}

/** A file system of 12 MiB. */
export interface SmallDisk {
  folder: string;
  /** Takes all free space. */
  fill(): void;
  /** Frees it again. */
  empty(): void;
  remove(): void;
}

export function mountSmallDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-disk-'));
  try {
    mount(folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    empty: () => rmSync(filler),
    remove() {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
