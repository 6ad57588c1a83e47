import { spawnSync } from 'node:child_process';

/** The interpreter of the system package of discord.py. */
export const PYTHON = '/usr/bin/python3';

/** The reason why discord.py cannot run, or null. */
export const noDiscordPy = lacks('discord') ? `${PYTHON} has no module discord; install discord.py` : null;

/** The same for the synchronous webhooks of discord.py. */
export const noRequests = noDiscordPy ?? (lacks('requests') ? `${PYTHON} has no module requests` : null);

function lacks(module: string): boolean {
  return spawnSync(PYTHON, ['-c', `import ${module}`]).status !== 0;
}
