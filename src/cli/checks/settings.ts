import {
  type Config,
  ConfigError,
  DATABASE_KEY,
  isOfThisMachine,
  type Mode,
  misspeltSettings,
  readConfig,
  type SettingName,
} from '../../config.js';
import { LOOPBACK_HOSTS } from '../../infra/network/loopback.js';
import { type Check, failure, passed, warning } from './check.js';

/** Reads the settings. Without valid ones, nothing that depends on them can be checked. */
export function checkSettings(mode: Mode, environment: NodeJS.ProcessEnv): { config: Config | null; checks: Check[] } {
  const misspelt = misspeltSettings(environment).map(([given, meant]) =>
    warning('settings', `${given} is not a setting; did you mean ${meant}?`),
  );
  try {
    const config = readConfig(environment, mode);
    const doubts = [...misspelt, ...doubtsOf(config, environment).map(([...texts]) => warning('settings', ...texts))];
    return { config, checks: doubts.length > 0 ? doubts : [passed('settings', 'every setting is valid')] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: null, checks: [...misspelt, ...error.faults.map((fault) => failure('settings', fault))] };
  }
}

type Doubt = [message: string, advice: string];

/** Valid settings that contradict each other or are dangerous. */
function doubtsOf(config: Config, environment: NodeJS.ProcessEnv): Doubt[] {
  const isPublic = config.box === null && !isOfThisMachine(config.publicUrl);
  return [
    ...addressDoubts(config),
    ...(isPublic ? publicDoubts(config) : []),
    ...weakKeyDoubts(config),
    ...unusedDoubts(config, environment),
    ...processDoubts(environment),
  ];
}

function addressDoubts({ publicUrl, gatewayPublicUrl, host, box }: Config): Doubt[] {
  const isLocal = isOfThisMachine(publicUrl);
  const isOpen = host !== '' && !LOOPBACK_HOSTS.includes(host) && host !== '::1';
  return [
    ...when(publicUrl?.startsWith('http:') === true && !isLocal, [
      'PUBLIC_URL begins with http://, so passwords, cookies and tokens cross the network unencrypted',
      'Let a proxy handle TLS and set PUBLIC_URL to its https:// origin.',
    ]),
    ...when(isLocal && isOpen && box === null, [
      `HOST ${host} accepts other machines, but PUBLIC_URL is this machine, so links and the gateway URL work only here`,
      'Set PUBLIC_URL to the origin that users open.',
    ]),
    ...when(publicUrl?.startsWith('https:') === true && gatewayPublicUrl?.startsWith('ws:') === true, [
      'GATEWAY_PUBLIC_URL begins with ws://, but PUBLIC_URL with https://, so bots send their tokens unencrypted',
      'Use wss:// for GATEWAY_PUBLIC_URL.',
    ]),
  ];
}

function publicDoubts({ host, trustProxy, rateLimits, allowPrivateEndpoints, smtpUrl, logLevel }: Config): Doubt[] {
  const isBehindProxy = LOOPBACK_HOSTS.includes(host) || host === '::1';
  return [
    ...when(isBehindProxy && trustProxy === null, [
      'TRUST_PROXY is not set, but only a proxy on this machine can reach HOST, so all clients share its rate limits',
      'Set TRUST_PROXY=loopback.',
    ]),
    ...when(!isBehindProxy && trustProxy !== null && 'hops' in trustProxy, [
      `TRUST_PROXY is a number, and HOST ${host} accepts other machines, so clients that bypass the proxy can forge their address`,
      'Set TRUST_PROXY to the addresses of the proxies, or HOST to an address that only they can reach.',
    ]),
    ...when(!rateLimits, ['RATE_LIMITS is off on a public instance', 'Remove RATE_LIMITS.']),
    ...when(allowPrivateEndpoints, [
      'ALLOW_PRIVATE_ENDPOINTS is on, so every developer can send requests to this machine and its private network',
      'Remove ALLOW_PRIVATE_ENDPOINTS, unless you trust all developers.',
    ]),
    ...when(smtpUrl === null, [
      'SMTP_URL is not set, so emails stay in DATA_DIR/outbox and email addresses are not verified',
      'Set SMTP_URL and MAIL_FROM.',
    ]),
    ...when(logLevel === 'silent' || logLevel === 'fatal', [
      `LOG_LEVEL is ${logLevel}, so the log has no errors`,
      'Use LOG_LEVEL=info.',
    ]),
  ];
}

/** Fewer different characters than any random key of 32 hex digits has in practice. */
const FEW_CHARACTERS = 9;

const TYPED = /secret|password|passwort|change.?me|example|qwert|12345678|abcdefgh/i;

function weakKeyDoubts({ secretKeys }: Config): Doubt[] {
  const isWeak = (key: string) => key !== DATABASE_KEY && (new Set(key).size < FEW_CHARACTERS || TYPED.test(key));
  return when(secretKeys.some(isWeak), [
    'SECRET_KEYS has a key that can be guessed, which lets others forge cookies',
    'Replace it with the output of `openssl rand -hex 32`, or remove SECRET_KEYS to use the key in the database.',
  ]);
}

/** Settings without any effect. */
function unusedDoubts({ databaseUrl, redisUrl, socketFd }: Config, environment: NodeJS.ProcessEnv): Doubt[] {
  const isShared = databaseUrl !== null && redisUrl !== null;
  const unused = (name: SettingName, isUsed: boolean, reason: string) =>
    when(!isUsed && (environment[name] ?? '') !== '', [`${name} has no effect ${reason}`, `Remove ${name}.`]);
  return [
    ...when(databaseUrl === null && redisUrl !== null, [
      'REDIS_URL is set without DATABASE_URL, but only one process can use SQLite',
      'Set DATABASE_URL for several processes, or remove REDIS_URL.',
    ]),
    ...unused('DATABASE_POOL', databaseUrl !== null, 'without DATABASE_URL'),
    ...unused('REDIS_PREFIX', redisUrl !== null, 'without REDIS_URL'),
    ...unused('WORKER_ID', !isShared, 'with PostgreSQL and Redis, because processes lease their worker'),
    ...unused('HOST', socketFd === null, 'with a socket from systemd'),
  ];
}

/** Variables of Node.js. */
function processDoubts({ NODE_TLS_REJECT_UNAUTHORIZED }: NodeJS.ProcessEnv): Doubt[] {
  return when(NODE_TLS_REJECT_UNAUTHORIZED === '0', [
    'NODE_TLS_REJECT_UNAUTHORIZED is 0, so the process accepts forged certificates',
    'Remove it, and set NODE_EXTRA_CA_CERTS to the file of your own certificate authority.',
  ]);
}

function when(isDoubtful: boolean, doubt: Doubt): Doubt[] {
  return isDoubtful ? [doubt] : [];
}
