import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.js';
import { until } from './until.js';

/** Of Debian's package. */
const PROGRAM = '/usr/bin/prometheus';

/** The reason why Prometheus cannot run, or null. */
export const missingPrometheus = existsSync(PROGRAM) ? null : `no ${PROGRAM}`;

export interface Rule {
  name: string;
  /** The expression. */
  query: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** `ok` or `err`. */
  health: string;
}

export interface Prometheus {
  /** Values of an instant query now, of which some may be NaN. Fails if the expression is invalid. */
  query(expression: string): Promise<number[]>;
  /** Names of the alerts that fire, without repetitions. */
  firing(): Promise<string[]>;
  rules(): Promise<Rule[]>;
  /** Settles after another scrape of each target, and another evaluation of the rules. */
  nextScrape(): Promise<void>;
  stop(): Promise<void>;
}

interface Targets {
  activeTargets: { lastScrape: string }[];
}

interface Groups {
  groups: { lastEvaluation: string; rules: Rule[] }[];
}

/** Starts Prometheus on a free port with a temporary folder. It scrapes the origins each second, as job `causeway`. */
export async function startPrometheus(origins: string[], rules: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-prometheus-'));
  const targets = JSON.stringify(origins.map((origin) => new URL(origin).host));
  await writeFile(join(folder, 'rules.yml'), rules);
  await writeFile(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 500ms }
rule_files: [rules.yml]
scrape_configs: [{ job_name: causeway, static_configs: [{ targets: ${targets} }] }]
`,
  );
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    PROGRAM,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ask = async <Data>(path: string, body?: URLSearchParams): Promise<Data> => {
    const response = await fetch(`http://${address}/api/v1/${path}`, body ? { method: 'POST', body } : {});
    const { status, error, data } = (await response.json()) as { status: string; error?: string; data: Data };
    if (status !== 'success') throw new Error(`Prometheus refused ${body ?? path}: ${error}`);
    return data;
  };
  const groups = async () => (await ask<Groups>('rules?type=alert')).groups;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`);
    return fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    async query(expression) {
      const body = new URLSearchParams({ query: expression });
      const { result } = await ask<{ result: { value: [number, string] }[] }>('query', body);
      return result.map(({ value: [, value] }) => Number(value));
    },
    async firing() {
      const { alerts } = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts');
      return [...new Set(alerts.flatMap(({ state, labels }) => (state === 'firing' ? labels.alertname : [])))].sort();
    },
    rules: async () => (await groups()).flatMap((group) => group.rules),
    async nextScrape() {
      // Before Prometheus has read its files, there are none.
      const allSince = (since: number, times: string[]) =>
        times.length > 0 && times.every((time) => Date.parse(time) > since);
      const began = Date.now();
      await until(async () => {
        const { activeTargets } = await ask<Targets>('targets');
        return allSince(
          began,
          activeTargets.map(({ lastScrape }) => lastScrape),
        );
      });
      const scraped = Date.now();
      await until(async () =>
        allSince(
          scraped,
          (await groups()).map(({ lastEvaluation }) => lastEvaluation),
        ),
      );
    },
    async stop() {
      const exited = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGTERM')) await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
