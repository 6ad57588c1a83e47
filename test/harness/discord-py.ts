import { spawnSync } from 'node:child_process';

/** The interpreter for which the system packages discord.py. */
export const PYTHON = '/usr/bin/python3';

/** Why discord.py cannot be tried here, or null when it can. */
export const noDiscordPy = lacks('discord') ? `${PYTHON} has no module discord; install discord.py` : null;

/** The same of what it posts with where nothing is asynchronous. */
export const noRequests = noDiscordPy ?? (lacks('requests') ? `${PYTHON} has no module requests` : null);

function lacks(module: string): boolean {
  return spawnSync(PYTHON, ['-c', `import ${module}`]).status !== 0;
}
