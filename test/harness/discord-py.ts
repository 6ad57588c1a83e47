import { spawnSync } from 'node:child_process';

/** The interpreter for which the system packages discord.py. */
export const PYTHON = '/usr/bin/python3';

/** Why discord.py cannot be tried here, or null when it can. */
export const noDiscordPy =
  spawnSync(PYTHON, ['-c', 'import discord']).status === 0
    ? null
    : `${PYTHON} has no module discord; install discord.py`;
