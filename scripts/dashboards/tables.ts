import type { Dashboard, Panel } from './grafana.js';

const by = (labels: string) => (labels === '' ? '' : ` by (${labels})`);

const perSecond = (counter: string, labels = '') => `sum${by(labels)} (rate(${counter}[$__rate_interval]))`;

/** Counts of rare events are easier to read than rates. */
const inFiveMinutes = (counter: string, labels = '') => `sum${by(labels)} (increase(${counter}[5m]))`;

function quantile(part: number, histogram: string, labels = ''): string {
  const kept = labels === '' ? 'le' : `${labels}, le`;
  return `histogram_quantile(${part}, sum by (${kept}) (rate(${histogram}_bucket[$__rate_interval])))`;
}

/** The median and the slowest 1 % of a histogram. */
const spread = (histogram: string) => ({
  [quantile(0.5, histogram)]: 'median',
  [quantile(0.99, histogram)]: '99 %',
});

const failedShare = (labels = '') => {
  const failed = perSecond('causeway_request_seconds_count{status=~"5.."}', labels);
  const all = perSecond('causeway_request_seconds_count', labels);
  return `(${failed} or 0 * ${all}) / ${all}`;
};

const stat = (panel: Omit<Panel, 'isStat'>): Panel => ({ ...panel, isStat: true });

const NO_REDIS = 'Without `REDIS_URL` there is no data.';

const instance: Dashboard = {
  title: 'instance',
  uid: 'causeway-instance',
  description: 'One process: does it serve, how fast, and what does it wait for?',
  isOfOne: true,
  sections: {
    'Is it well?': [
      stat({
        title: 'Readiness',
        description: 'Whether /readyz reports that the process can serve. Its body has the reason if it cannot.',
        unit: 'short',
        queries: { 'min(causeway_ready)': '' },
        limits: [1, 1],
        isGoodAbove: true,
        texts: { 0: 'Not ready', 1: 'Ready' },
      }),
      stat({
        title: 'Degraded parts',
        description: 'Parts that /readyz lists under "degraded". The process serves without them.',
        unit: 'short',
        queries: { 'sum(causeway_degraded)': '' },
        limits: [1, 2],
      }),
      stat({
        title: 'Requests',
        description: 'Requests per second at all entry points.',
        unit: 'reqps',
        queries: { [perSecond('causeway_request_seconds_count')]: '' },
      }),
      stat({
        title: 'Failed requests',
        description: 'Share of requests with a status of 500 and above. "Failures by route" below shows where.',
        unit: 'percentunit',
        queries: { [failedShare()]: '' },
        limits: [0.001, 0.005],
      }),
      stat({
        title: 'CPU',
        description: 'Cores in use. One process uses one core, plus a little. Start another process above two thirds.',
        unit: 'short',
        queries: { [perSecond('process_cpu_seconds_total')]: '' },
        limits: [0.66, 0.9],
      }),
      stat({
        title: 'Running for',
        description: 'Time since the start of the process. A short time without a deployment means that it crashed.',
        unit: 's',
        queries: { 'time() - max(process_start_time_seconds)': '' },
      }),
    ],
    Requests: [
      {
        title: 'Requests by entry point',
        description: 'Which API is used most. "rest" is what bots use, "graphql" is the portal.',
        unit: 'reqps',
        queries: { [perSecond('causeway_request_seconds_count', 'face')]: '{{face}}' },
      },
      {
        title: 'Refusals and failures by entry point',
        description:
          'Answers with 400 and above. 4xx are mistakes of clients, 500 is a fault of Causeway, and 502 to 504 come from boxes or a missing service.',
        unit: 'reqps',
        queries: {
          [perSecond('causeway_request_seconds_count{status=~"[45].."}', 'face, status')]: '{{face}} {{status}}',
        },
      },
      {
        title: 'Failures by route',
        description: 'The ten routes with most answers of 500 and above. No data means that there was none.',
        unit: 'reqps',
        queries: {
          [`topk(10, ${perSecond('causeway_request_seconds_count{status=~"5.."}', 'route, status')})`]:
            '{{route}} {{status}}',
        },
      },
      {
        title: 'Response time',
        description: 'How long callers wait. The slowest 1 % should stay below 0.25 s.',
        unit: 's',
        queries: { ...spread('causeway_request_seconds') },
        limits: [0.25, 1],
      },
      {
        title: 'Response time by entry point',
        description: 'The slowest 5 % of each entry point.',
        unit: 's',
        queries: { [quantile(0.95, 'causeway_request_seconds', 'face')]: '{{face}}' },
      },
      {
        title: 'Slowest routes',
        description: 'The ten routes whose slowest 5 % take longest.',
        unit: 's',
        queries: { [`topk(10, ${quantile(0.95, 'causeway_request_seconds', 'route')})`]: '{{route}}' },
      },
      {
        title: 'Refusals by rate limits',
        description:
          'Requests that a limit refused in five minutes. Many for "address" can mean that TRUST_PROXY is not set.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_limit_refusals_total', 'scope')]: '{{scope}}' },
      },
      {
        title: 'Files',
        description: 'Bytes of received and sent files.',
        unit: 'Bps',
        queries: { [perSecond('causeway_file_bytes_total', 'direction')]: '{{direction}}' },
      },
      {
        title: 'GraphQL subscriptions',
        description: 'Open subscriptions, and those that ended in five minutes because their client read too slowly.',
        unit: 'short',
        queries: {
          'sum(causeway_graphql_subscriptions)': 'open',
          [inFiveMinutes('causeway_graphql_slow_subscriptions_total')]: 'ended as too slow',
        },
      },
    ],
    Process: [
      {
        title: 'Blocked event loop',
        description: 'Time for which the process answered no caller at all. Above 0.1 s it has too much to do.',
        unit: 's',
        queries: {
          'max(causeway_event_loop_block_seconds)': 'longest block',
          'max(nodejs_eventloop_lag_p99_seconds)': '99 % of the lag',
        },
        limits: [0.1, 0.25],
      },
      {
        title: 'CPU by mode',
        description: 'Cores in use. Much system time points to the network or the disk.',
        unit: 'short',
        queries: {
          [perSecond('process_cpu_user_seconds_total')]: 'user',
          [perSecond('process_cpu_system_seconds_total')]: 'system',
        },
      },
      {
        title: 'Memory',
        description: 'Memory of the process. Growth for days is a leak.',
        unit: 'bytes',
        queries: {
          'sum(process_resident_memory_bytes)': 'resident',
          'sum(nodejs_heap_size_used_bytes)': 'used heap',
          'sum(nodejs_external_memory_bytes)': 'buffers',
        },
      },
      {
        title: 'Garbage collection',
        description: 'Share of the time that garbage collection takes. Above 10 % the process lacks memory.',
        unit: 'percentunit',
        queries: { [perSecond('nodejs_gc_duration_seconds_sum', 'kind')]: '{{kind}}' },
        limits: [0.05, 0.1],
      },
      {
        title: 'Open files and sockets',
        description: 'Share of the allowed file descriptors. At 100 % new connections are refused; raise LimitNOFILE.',
        unit: 'percentunit',
        queries: { 'max(process_open_fds / process_max_fds)': 'used' },
        limits: [0.7, 0.9],
      },
      {
        title: 'Free space of DATA_DIR',
        description: 'Share of the disk that is free. When it is full, writes get 503.',
        unit: 'percentunit',
        queries: { 'min(causeway_disk_free_bytes / causeway_disk_size_bytes)': 'free' },
        limits: [0.1, 0.2],
        isGoodAbove: true,
      },
    ],
    'Database and Redis': [
      {
        title: 'Time of a statement',
        description: 'How long database statements take, with the wait for a connection.',
        unit: 's',
        queries: { ...spread('causeway_database_statement_seconds') },
        limits: [0.1, 0.5],
      },
      {
        title: 'Statements',
        description: 'Database statements per second.',
        unit: 'ops',
        queries: { [perSecond('causeway_database_statement_seconds_count')]: 'statements' },
      },
      {
        title: 'Connections to PostgreSQL',
        description: 'If statements wait for long, raise DATABASE_POOL or start another process. SQLite shows 0.',
        unit: 'short',
        queries: { 'sum by (state) (causeway_database_connections)': '{{state}}' },
      },
      {
        title: 'Statements without a database',
        description: 'Statements that failed in five minutes because the database was not available.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_database_faults_total')]: 'failed' },
        limits: [1, 10],
      },
      {
        title: 'Redis',
        description: `Whether the process is connected to Redis, and failed commands in five minutes. ${NO_REDIS}`,
        unit: 'short',
        queries: {
          'min(causeway_redis_up)': 'connected',
          [inFiveMinutes('causeway_redis_faults_total', 'reason')]: '{{reason}}',
        },
      },
      {
        title: 'Gaps of event streams',
        description: 'Streams that lost events in five minutes. Caches are read again, and bots get the server again.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_stream_gaps_total')]: 'gaps' },
      },
    ],
    'Deferred work': [
      {
        title: 'Jobs by outcome',
        description: 'Attempts to run a job in five minutes. "failed" is tried again, "dead" is not.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_job_runs_total', 'kind, ending')]: '{{kind}} {{ending}}' },
      },
      {
        title: 'Mails',
        description: 'Mails in five minutes. Users must request failed ones again.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_mails_total', 'outcome')]: '{{outcome}}' },
      },
      {
        title: 'Requests to interactions endpoints',
        description: 'Outcomes per second. "unusable" is an answer that Causeway could not use.',
        unit: 'reqps',
        queries: { [perSecond('causeway_endpoint_request_seconds_count', 'outcome')]: '{{outcome}}' },
      },
      {
        title: 'Time of interactions endpoints',
        description: 'How long endpoints take to answer. After three seconds, the user sees a failure.',
        unit: 's',
        queries: { ...spread('causeway_endpoint_request_seconds') },
        limits: [1, 2.5],
      },
    ],
  },
};

const fleet: Dashboard = {
  title: 'fleet',
  uid: 'causeway-fleet',
  description: 'All processes: do they all serve, do they share the load, and do they hear each other?',
  sections: {
    'Is it well?': [
      stat({
        title: 'Processes that do not answer',
        description: 'Processes that Prometheus could not query. Look at their logs.',
        unit: 'short',
        queries: { 'count(up) - sum(up)': '' },
        limits: [1, 1],
      }),
      stat({
        title: 'Processes that are not ready',
        description: 'Processes whose /readyz reports 503: they start, stop or have no database.',
        unit: 'short',
        queries: { 'count(causeway_ready) - sum(causeway_ready)': '' },
        limits: [1, 1],
      }),
      stat({
        title: 'Requests',
        description: 'Requests per second of all processes.',
        unit: 'reqps',
        queries: { [perSecond('causeway_request_seconds_count')]: '' },
      }),
      stat({
        title: 'Failed requests',
        description: 'Share of requests with a status of 500 and above.',
        unit: 'percentunit',
        queries: { [failedShare()]: '' },
        limits: [0.001, 0.005],
      }),
      stat({
        title: 'Online people and bots',
        description: 'Connections of online people and bots, over all processes.',
        unit: 'short',
        queries: { 'max(causeway_presences)': '' },
      }),
      stat({
        title: 'Boxes offline for an hour',
        description: 'Boxes that have been offline for one hour to seven days. Their owners see why in the portal.',
        unit: 'short',
        queries: { 'max(causeway_boxes_away)': '' },
        limits: [1, 10],
      }),
    ],
    Processes: [
      {
        title: 'Live processes',
        description:
          'Processes that hold connections according to the database, and those that answer Prometheus. A difference that stays is a process that is not monitored, or has crashed.',
        unit: 'short',
        queries: { 'max(causeway_live_processes)': 'in the database', 'sum(up)': 'answering' },
      },
      {
        title: 'Requests by process',
        description: 'Whether the proxy spreads the load.',
        unit: 'reqps',
        queries: { [perSecond('causeway_request_seconds_count', 'instance')]: '{{instance}}' },
      },
      {
        title: 'Failed requests by process',
        description: 'Share of requests with 500 and above. One process alone points to its machine or its version.',
        unit: 'percentunit',
        queries: { [failedShare('instance')]: '{{instance}}' },
        limits: [0.001, 0.005],
      },
      {
        title: 'Response time by process',
        description: 'The slowest 1 % of requests.',
        unit: 's',
        queries: { [quantile(0.99, 'causeway_request_seconds', 'instance')]: '{{instance}}' },
        limits: [0.25, 1],
      },
      {
        title: 'Blocked event loop by process',
        description: 'Longest time for which a process answered no caller. Above 0.1 s, start another process.',
        unit: 's',
        queries: { 'max by (instance) (causeway_event_loop_block_seconds)': '{{instance}}' },
        limits: [0.1, 0.25],
      },
      {
        title: 'CPU by process',
        description: 'Cores in use. Start another process above two thirds of a core.',
        unit: 'short',
        queries: { [perSecond('process_cpu_seconds_total', 'instance')]: '{{instance}}' },
        limits: [0.66, 0.9],
      },
      {
        title: 'Memory by process',
        description: 'Resident memory. Growth for days is a leak.',
        unit: 'bytes',
        queries: { 'sum by (instance) (process_resident_memory_bytes)': '{{instance}}' },
      },
      {
        title: 'Degraded parts',
        description: 'Number of processes that lack a part, as /readyz lists it under "degraded".',
        unit: 'short',
        queries: { 'sum by (part) (causeway_degraded)': '{{part}}' },
        limits: [1, 2],
      },
      {
        title: 'Free space by process',
        description: 'Free share of the disk of DATA_DIR. When it is full, writes get 503.',
        unit: 'percentunit',
        queries: { 'min by (instance) (causeway_disk_free_bytes / causeway_disk_size_bytes)': '{{instance}}' },
        limits: [0.1, 0.2],
        isGoodAbove: true,
      },
    ],
    'Shared services': [
      {
        title: 'Database time by process',
        description: 'The slowest 1 % of statements. All processes slow means the database, one means its network.',
        unit: 's',
        queries: { [quantile(0.99, 'causeway_database_statement_seconds', 'instance')]: '{{instance}}' },
        limits: [0.1, 0.5],
      },
      {
        title: 'Connections to PostgreSQL',
        description: 'Their sum must stay below max_connections less ten. Waiting statements lack a connection.',
        unit: 'short',
        queries: { 'sum by (state) (causeway_database_connections)': '{{state}}' },
      },
      {
        title: 'Statements without a database',
        description: 'Statements that failed in five minutes because the database was not available.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_database_faults_total', 'instance')]: '{{instance}}' },
        limits: [1, 10],
      },
      {
        title: 'Connection to Redis',
        description: `1 while connected. Events of other processes do not reach a process at 0. ${NO_REDIS}`,
        unit: 'short',
        queries: { 'min by (instance) (causeway_redis_up)': '{{instance}}' },
      },
      {
        title: 'Failed commands to Redis',
        description: `Failures in five minutes. Rate limits then count per process. ${NO_REDIS}`,
        unit: 'short',
        queries: { [inFiveMinutes('causeway_redis_faults_total', 'instance, reason')]: '{{instance}} {{reason}}' },
      },
      {
        title: 'Gaps of event streams by process',
        description: 'Streams that lost events in five minutes, usually because Redis was away.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_stream_gaps_total', 'instance')]: '{{instance}}' },
      },
    ],
    'Deferred work': [
      {
        title: 'Due jobs',
        description: 'Jobs that no process works on yet. A number that grows means that jobs take too long.',
        unit: 'short',
        queries: { 'max(causeway_jobs_due)': 'due', 'max(causeway_jobs_dead)': 'dead' },
      },
      {
        title: 'Age of the oldest due job',
        description: 'How late the work is. Normal is below a minute.',
        unit: 's',
        queries: { 'max(causeway_jobs_oldest_due_seconds)': 'oldest' },
        limits: [60, 300],
      },
      {
        title: 'Mails',
        description: 'Mails in five minutes, of all processes.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_mails_total', 'outcome')]: '{{outcome}}' },
      },
    ],
    Boxes: [
      {
        title: 'Connected boxes by process',
        description: 'Boxes reconnect to another process when theirs stops. The sum should stay the same.',
        unit: 'short',
        queries: { 'sum by (instance) (causeway_relay_boxes)': '{{instance}}' },
      },
      {
        title: 'Requests to boxes',
        description: '503: the box is offline. 504: it did not answer in time. 502: its answer was invalid.',
        unit: 'reqps',
        queries: { [perSecond('causeway_relay_requests_total', 'outcome')]: '{{outcome}}' },
      },
      {
        title: 'Time of requests to boxes',
        description: 'The whole time, and the part of it that the relay and the network to the box add.',
        unit: 's',
        queries: {
          [quantile(0.5, 'causeway_relay_seconds')]: 'median',
          [quantile(0.99, 'causeway_relay_seconds')]: '99 %',
          [quantile(0.5, 'causeway_relay_added_seconds')]: 'median, added',
          [quantile(0.99, 'causeway_relay_added_seconds')]: '99 %, added',
        },
      },
    ],
  },
};

const gateway: Dashboard = {
  title: 'gateway',
  uid: 'causeway-gateway',
  description: 'Connections of bots: are they connected, do they keep up, and why do they leave?',
  sections: {
    'Is it well?': [
      stat({
        title: 'Sessions',
        description: 'Gateway sessions of all selected processes, including those that wait for a resume.',
        unit: 'short',
        queries: { 'sum(causeway_gateway_sessions)': '' },
      }),
      stat({
        title: 'Sessions without a connection',
        description: 'Sessions whose client is away. They end if it does not resume in time.',
        unit: 'short',
        queries: { 'sum(causeway_gateway_waiting_sessions)': '' },
      }),
      stat({
        title: 'Events sent',
        description: 'Events per second to all sessions.',
        unit: 'cps',
        queries: { [perSecond('causeway_gateway_dispatches_total')]: '' },
      }),
      stat({
        title: 'Unread events',
        description: 'Events that wait for connected clients which read too slowly.',
        unit: 'short',
        queries: { 'sum(causeway_gateway_unsent_events)': '' },
        limits: [1_000, 10_000],
      }),
      stat({
        title: 'Delay of events',
        description: 'Time from the commit of an event until it is sent, for the slowest 1 %.',
        unit: 's',
        queries: { [quantile(0.99, 'causeway_gateway_dispatch_lag_seconds')]: '' },
        limits: [0.25, 1],
      }),
      stat({
        title: 'In voice channels',
        description: 'People and bots in voice channels, over all processes.',
        unit: 'short',
        queries: { 'max(causeway_voice_states)': '' },
      }),
    ],
    Sessions: [
      {
        title: 'Sessions by process',
        description: 'Whether connections are spread. A sudden fall is a crash or a lost network.',
        unit: 'short',
        queries: { 'sum by (instance) (causeway_gateway_sessions)': '{{instance}}' },
      },
      {
        title: 'Sessions without a connection by process',
        description: 'Many of them after a deployment are bots that do not resume, such as those of discord.js.',
        unit: 'short',
        queries: { 'sum by (instance) (causeway_gateway_waiting_sessions)': '{{instance}}' },
      },
      {
        title: 'Identifies and resumes',
        description:
          'In five minutes. Many "identified" cost much work. "invalid_session" is a client that came too late.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_gateway_admissions_total', 'outcome')]: '{{outcome}}' },
      },
      {
        title: 'Moves between processes',
        description: 'Sessions that left or arrived in five minutes, as with each stop. "lost" ones had to identify.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_gateway_moves_total', 'outcome')]: '{{outcome}}' },
      },
      {
        title: 'Time of a move',
        description: 'From the departure of a session to its arrival. No data means that none moved.',
        unit: 's',
        queries: { ...spread('causeway_gateway_move_seconds') },
      },
      {
        title: 'Identifies over the limit',
        description: 'Clients that identified too often in five minutes, such as a bot that crashes and restarts.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_limit_refusals_total{scope="identify"}')]: 'refused' },
      },
    ],
    Disconnections: [
      {
        title: 'Closed by Causeway, by code',
        description:
          'Closes in five minutes, if any. 4004: wrong token. 4008: too many requests. 4900: the process stops. docs/gateway.md has all codes.',
        unit: 'short',
        queries: { [`${inFiveMinutes('causeway_gateway_closes_total', 'code')} > 0`]: '{{code}}' },
      },
      {
        title: 'Closed by clients',
        description:
          'In five minutes. "lost" connections broke: the client crashed, or its network or the proxy failed.',
        unit: 'short',
        queries: { [inFiveMinutes('causeway_gateway_client_closes_total', 'how')]: '{{how}}' },
      },
      {
        title: 'Missing heartbeats and slow readers',
        description: 'Connections that were closed in five minutes because the client was silent or did not read.',
        unit: 'short',
        queries: {
          [inFiveMinutes('causeway_gateway_closes_total{code="4009"}')]: 'no heartbeat',
          [inFiveMinutes('causeway_gateway_closes_total{code="4901"}')]: 'too slow',
        },
      },
    ],
    Events: [
      {
        title: 'Events by type',
        description: 'The ten most frequent types, in events per second. PRESENCE_UPDATE and TYPING_START cost most.',
        unit: 'cps',
        queries: { [`topk(10, ${perSecond('causeway_gateway_dispatches_total', 'type')})`]: '{{type}}' },
      },
      {
        title: 'Delay of events by process',
        description: 'The slowest 1 %, from the commit to the dispatch. It also shows clocks that differ.',
        unit: 's',
        queries: { [quantile(0.99, 'causeway_gateway_dispatch_lag_seconds', 'instance')]: '{{instance}}' },
        limits: [0.25, 1],
      },
      {
        title: 'Unread and repeated events',
        description:
          'Events that wait for slow clients, and events that were sent again after resumes in five minutes.',
        unit: 'short',
        queries: {
          'sum(causeway_gateway_unsent_events)': 'unread',
          [inFiveMinutes('causeway_gateway_replayed_events_total')]: 'repeated',
        },
      },
    ],
  },
};

export const dashboards: readonly Dashboard[] = [instance, fleet, gateway];
