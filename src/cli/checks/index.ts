import { type Config, ConfigError, type Mode, misspeltSettings, readConfig } from '../../config.js';
import type { Check } from './check.js';
import { checkArgon2, checkNode, checkPortal, checkSharp, checkSqlite } from './installation.js';
import { checkDatabase, checkDataDir, checkPort, checkRedis } from './resources.js';

/** Checks everything a start needs, and changes nothing. */
export async function runChecks(mode: Mode, environment: NodeJS.ProcessEnv = process.env): Promise<Check[]> {
  const { config, checks: settings } = checkSettings(mode, environment);
  const sqlite = config && !config.databaseUrl ? [await checkSqlite()] : [];
  const hasDriver = sqlite.every(({ status }) => status === 'ok');
  return [
    checkNode(),
    ...sqlite,
    await checkSharp(),
    await checkArgon2(),
    checkPortal(),
    ...settings,
    ...(config ? [await checkPort(config), checkDataDir(config)] : []),
    ...(config && hasDriver ? [await checkDatabase(config)] : []),
    ...(config?.redisUrl ? [await checkRedis(config.redisUrl)] : []),
  ];
}

function checkSettings(mode: Mode, environment: NodeJS.ProcessEnv): { config: Config | null; checks: Check[] } {
  const misspelt = misspeltSettings(environment).map(
    ([given, meant]): Check => ({
      name: 'settings',
      status: 'warning',
      message: `${given} is not a setting; did you mean ${meant}?`,
    }),
  );
  try {
    const config = readConfig(environment, mode);
    const valid: Check = { name: 'settings', status: 'ok', message: 'every setting is valid' };
    return { config, checks: misspelt.length > 0 ? misspelt : [valid] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map((message): Check => ({ name: 'settings', status: 'error', message }));
    return { config: null, checks: [...misspelt, ...faults] };
  }
}
