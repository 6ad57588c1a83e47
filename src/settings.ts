import type { SettingName } from './config.js';

/** One row of docs/configuration.md, in Markdown. */
export interface SettingReference {
  default: string;
  meaning: string;
}

export interface SettingGroup {
  title: string;
  settings: Partial<Record<SettingName, SettingReference>>;
}

/**
 * Every setting, in the order of docs/configuration.md. A test compares the names with those that `config.ts` reads.
 */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    title: 'Network',
    settings: {
      HOST: { default: '`127.0.0.1`', meaning: 'The address to listen on.' },
      PORT: {
        default: '`4000`',
        meaning: 'The port to listen on. `0` picks a free port, which the "ready" log line names.',
      },
      PUBLIC_URL: {
        default: '`http://localhost:$PORT`',
        meaning:
          'The origin that people and bots use, without a path. Links, cookies, file URLs and the gateway URL contain it.',
      },
      GATEWAY_PUBLIC_URL: {
        default: 'from `PUBLIC_URL`',
        meaning:
          'The `ws://` or `wss://` origin of the gateway, if not that of `PUBLIC_URL`. It should lead to every process.',
      },
      TRUST_PROXY: {
        default: 'no proxy',
        meaning:
          'The proxies whose `X-Forwarded-For` is trusted: the number of proxies (`1`), or their addresses and networks (`10.0.0.0/8, fd00::/8`). `loopback` is this machine. See [A proxy](operations.md#a-proxy).',
      },
      METRICS_PORT: {
        default: 'the same port',
        meaning:
          'A separate port for `/metrics`, `/healthz` and `/readyz`. Without it, anyone who can reach the instance can read them.',
      },
      DRAIN_DELAY_MS: {
        default: '`1000`',
        meaning:
          'On shutdown, report 503 on `/readyz` and `/healthz` for this long before closing the listener, up to `3000`, if they are polled. Set it a little longer than the proxy needs to notice, such as `1500` for `inter 500ms fall 2` of HAProxy.',
      },
      DRAIN_TIMEOUT_MS: {
        default: '`9000`',
        meaning:
          'A shutdown takes at most this long, from `4000` to `600000`. Running requests get a third of it, and then gateway sessions move. The supervisor must wait longer before it kills the process.',
      },
    },
  },
  {
    title: 'Storage',
    settings: {
      DATA_DIR: {
        default: '`./data`',
        meaning:
          "The folder of the SQLite database, uploads, the email outbox and a box's identity. Only the owner of the process can read it. Nothing is written elsewhere.",
      },
      DATABASE_URL: { default: 'SQLite in `DATA_DIR`', meaning: 'A `postgresql://` URL.' },
      DATABASE_POOL: {
        default: '`10`',
        meaning:
          'The maximum number of connections of this process to PostgreSQL. PgBouncer in transaction mode is supported.',
      },
      REDIS_URL: {
        default: 'none',
        meaning:
          'Required as soon as a second process uses the same database. The processes then share events, rate limits and the keys of writes to boxes. Without Redis, for example during an outage, each process has its own events and limits.',
      },
      REDIS_PREFIX: {
        default: '`causeway`',
        meaning:
          'The prefix of all keys and channels in Redis: 1 to 64 letters, digits and `_.:-`. All processes of one installation must use the same prefix. Two installations that share a Redis need different prefixes, even with different database numbers.',
      },
      START_WAIT_MS: {
        default: '`60000`',
        meaning:
          'A start waits up to this long, at most `600000`, for a PostgreSQL or a Redis that cannot be reached or is still starting. After that, it fails without PostgreSQL, and continues without Redis. `0` does not wait.',
      },
      BLOB_URL: {
        default: '`DATA_DIR/blobs`',
        meaning:
          'The S3-compatible store of uploads: `s3://BUCKET/PATH?endpoint=https://…&region=…`. Both query parameters are optional. Credentials come from the AWS environment variables, such as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
      },
      SHARED_DATA_DIR: {
        default: '`off`',
        meaning:
          '`on` if `DATA_DIR` is one folder for all processes. With PostgreSQL and Redis, uploads are stored there only with `on`.',
      },
      FILES_PER_ACCOUNT_MB: {
        default: '`10240`',
        meaning:
          "The maximum total size of the files in one account's messages, in MiB. Files of applications count for their owner.",
      },
    },
  },
  {
    title: 'Retention',
    settings: {
      ACCOUNT_DELETION_DAYS: {
        default: '`14`',
        meaning:
          'People who delete their account can keep it for this many days: 0 to 90. `0` deletes at once. See [Delete a person](operators.md#delete-a-person).',
      },
      MESSAGE_DAYS: {
        default: '`0`, keep all',
        meaning:
          'Messages older than this are removed with their files and reactions: 7 to 3650 days. Pinned messages stay. Clients get no event. A box has its own setting for its servers. See [Retention](operations.md#retention).',
      },
      AUDIT_LOG_DAYS: {
        default: '`0`, keep all',
        meaning:
          'Entries of all audit logs that are older than this are removed: 1 to 3650 days. Installations on boxes stay.',
      },
      OUTBOX_DAYS: {
        default: '`30`',
        meaning: 'Mails in `DATA_DIR/outbox` that are older than this are removed: 1 to 3650 days, or `0` to keep all.',
      },
    },
  },
  {
    title: 'Secrets and email',
    settings: {
      SECRET_KEYS: {
        default: '`database`',
        meaning:
          'The keys that sign cookies and file URLs: one key of at least 32 characters, or two keys separated by a comma. The first key signs, and both are accepted. `database` is the key that the first start created. A process whose keys differ from the others does not start.',
      },
      SMTP_URL: {
        default: 'files in `DATA_DIR/outbox`',
        meaning:
          '`smtp://` or `smtps://`, with `user:password@` if needed. With it, people must verify their email address before they can accept invitations.',
      },
      MAIL_FROM: { default: '`no-reply@` the host of `PUBLIC_URL`', meaning: 'The sender address of emails.' },
    },
  },
  {
    title: 'Bots and limits',
    settings: {
      ALLOW_PRIVATE_ENDPOINTS: {
        default: '`on` if `PUBLIC_URL` is this machine, else `off`',
        meaning:
          'Whether interactions endpoints may use plain http, any port, this machine and private networks. With `off`, they must use https at port 443 or 8443 of a public address. With `on`, every developer can reach addresses that only this machine can reach. To trust your own certificate authority, set the Node.js variable `NODE_EXTRA_CA_CERTS`.',
      },
      REGISTRATION: {
        default: '`open` if `PUBLIC_URL` is this machine, else `invite`',
        meaning:
          'Sign-up is for everyone (`open`), for people with an [invitation](operators.md#registration) (`invite`), or for no one (`closed`). The set-up link of the first operator is an invitation.',
      },
      SIGN_UP_DOMAINS: {
        default: 'all',
        meaning:
          'The domains of email addresses that may sign up, with commas between them. Without `SMTP_URL`, nothing checks that an address belongs to the person.',
      },
      BUILT_IN_COMMANDS: {
        default: '`on`',
        meaning:
          '`off` disables the [built-in commands](built-in-commands.md#disable-them) and frees their names for bots. All processes of one installation must use the same value.',
      },
      SELF_HOSTED_WEBHOOKS: {
        default: '`forward`',
        meaning: 'With `not_found`, webhook requests for servers on boxes get 404.',
      },
      RATE_LIMITS: { default: '`on`', meaning: '`off` disables rate limits, for load tests and benchmarks.' },
      WORKER_ID: {
        default: '`0`',
        meaning:
          'The snowflake worker of a process without Redis or without PostgreSQL, 0 to 255. Boxes cannot set it.',
      },
    },
  },
  {
    title: 'Boxes',
    settings: {
      CLOUD_URL: {
        default: 'none',
        meaning:
          "The origin of a box's cloud, or `none` for a box that continues without a cloud. Applies only to boxes.",
      },
      BOX_TOKEN: {
        default: 'none',
        meaning:
          'The enrolment token, for the first start of a box. A new token gives the box a new key. Applies only to boxes.',
      },
    },
  },
  {
    title: 'Logs',
    settings: {
      LOG_LEVEL: {
        default: '`info`',
        meaning:
          '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. Logs are one JSON object per line, or text on a terminal. `debug` logs every request with the id from its `x-request-id` header.',
      },
    },
  },
];

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  const sections = SETTING_GROUPS.map(({ title, settings }) => {
    const rows = Object.entries(settings).map(
      ([name, { default: usual, meaning }]) => `| \`${name}\` | ${usual} | ${meaning} |`,
    );
    return [`## ${title}`, '', '| Variable | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n');
  });
  return [
    '# Configuration',
    '',
    '<!-- Generated from src/settings.ts by `npm run configuration`. -->',
    '',
    'All settings are environment variables. An empty variable counts as not set.',
    'If a value is invalid, the process does not start, and the error names the variable.',
    'If the name of a variable resembles a setting, the process logs a warning.',
    '',
    ...sections,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
