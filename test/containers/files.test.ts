import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { readConfig, SETTING_NAMES } from '../../src/config.js';
import { parseDockerfile } from '../harness/dockerfile.js';
import { parseIgnore } from '../harness/image.js';
import { missingProxy } from '../harness/proxies.js';
import { startServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

/** Read by the S3 client. */
const OF_AWS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
const isSetting = (name: string) => SETTING_NAMES.includes(name) || OF_AWS.includes(name);

const Variables = z.record(z.string(), z.union([z.string(), z.number()]));

const Service = z.looseObject({
  image: z.string(),
  environment: Variables.default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  networks: z.array(z.string()).default(['default']),
});

const Compose = z.looseObject({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
  networks: z.record(z.string(), z.object({ internal: z.boolean() })).default({}),
});

async function readCompose(file: string): Promise<z.infer<typeof Compose>> {
  return Compose.parse(parseYaml(await read(file), { merge: true }));
}

async function readImage() {
  const image = parseDockerfile(await read('Dockerfile')).at(-1)?.image;
  if (!image) throw new Error('the Dockerfile has no stage');
  return image;
}

const defaults = readConfig({});

/** Milliseconds of a time such as `20s`. */
const durationMs = (text: unknown) => Number(/^(\d+)s$/.exec(String(text))?.[1]) * 1_000;

describe('the image', () => {
  it('has no instruction that its test does not run', () => {
    for (const line of ['ADD a b', 'RUN --mount=type=cache true', 'COPY --chown=1:1 a b', 'ENV NAME "a b"']) {
      expect(() => parseDockerfile(`FROM node:24-bookworm-slim\n${line}`), line).toThrow('does not know');
    }
  });

  it('listens at its port as another user than root, with its data in a volume', async () => {
    const { env, user, ports, volumes, stopSignal } = await readImage();
    const config = readConfig(env);
    expect([ports, volumes]).toEqual([[config.port], [config.dataDir]]);
    expect(config.host).toBe('0.0.0.0');
    expect(user).toBe('10001:10001');
    expect(stopSignal).toBe('SIGTERM');
    expect(Object.keys(env).filter((name) => !isSetting(name))).toEqual(['NODE_ENV']);
  });

  it('is not unhealthy while a start waits for PostgreSQL and Redis', async () => {
    const { health } = await readImage();
    expect(durationMs(health?.options['start-period'])).toBeGreaterThan(defaults.startWaitMs);
  });

  it('is built from existing files only, without secrets, data and tests', async () => {
    const { roots } = parseIgnore(await read('.dockerignore'));
    const unlisted = spawnSync('git', ['ls-files', '--error-unmatch', '--', ...roots], { cwd: ROOT, encoding: 'utf8' });
    expect(unlisted.stderr).toBe('');
    expect(roots).not.toContain('test');
  });
});

describe.each([
  ['compose.yaml', ['causeway']],
  ['compose.cluster.yaml', ['causeway-1', 'causeway-2']],
])('%s', (file, names) => {
  const ours = async () => Object.entries((await readCompose(file)).services).filter(([name]) => names.includes(name));

  it('runs the image without privileges, and gives it the time to drain', async () => {
    for (const [, service] of await ours()) {
      expect(service).toMatchObject({
        build: '.',
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        restart: 'unless-stopped',
      });
      const { DRAIN_TIMEOUT_MS = defaults.drainTimeoutMs } = service.environment;
      expect(durationMs(service.stop_grace_period)).toBeGreaterThan(Number(DRAIN_TIMEOUT_MS));
    }
  });

  it('keeps the data of each process in a volume of its own', async () => {
    const { volumes } = await readCompose(file);
    const [path = ''] = (await readImage()).volumes;
    const used = (await ours()).flatMap(([, service]) => service.volumes);
    expect(used.map((volume) => volume.split(':')[1])).toEqual(names.map(() => path));
    for (const volume of used) expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
    expect(new Set(used).size).toBe(names.length);
  });

  it('has settings that exist and are valid with the values of .env.example', async () => {
    for (const [, { environment }] of await ours()) {
      expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([]);
      const values = Object.entries(environment).map(([name, value]) => [name, substitute(String(value))]);
      const config = readConfig(Object.fromEntries(values));
      expect(config.publicUrl).toMatch(/^http:\/\/localhost:\d+$/);
    }
  });

  it('has no password, and names all its variables in .env.example', async () => {
    const text = await read(file);
    const example = new Map((await read('.env.example')).split('\n').flatMap(readVariable));
    const variables = [...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name);
    expect(variables.filter((name) => !example.has(name))).toEqual([]);
    expect([...example.values()].join('')).toBe('');
    const secrets = [...text.matchAll(/(?:PASSWORD|SECRET\w*): (.*)/g)].map(([, value = '']) => value);
    for (const value of secrets) expect(value).toMatch(/^\$\{\w+:[?-]/);
  });
});

function readVariable(line: string): [string, string][] {
  const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
  return name === undefined ? [] : [[name, value]];
}

/** As Compose does with variables that are set where they are required, and else are empty. */
function substitute(text: string): string {
  return text.replaceAll(/\$\{\w+:([?-])([^}]*)\}/g, (_, kind: string, rest: string) => (kind === '?' ? 'x' : rest));
}

describe('compose.cluster.yaml', () => {
  it('starts the processes after their stores, which are reachable from nowhere else', async () => {
    const { services, networks } = await readCompose('compose.cluster.yaml');
    const isInternal = (name: string) => networks[name]?.internal === true;
    for (const name of ['postgres', 'redis', 'store']) {
      expect(services[name]?.networks.every(isInternal)).toBe(true);
      expect(services[name]?.ports).toEqual([]);
      expect(services[name]?.healthcheck).toBeDefined();
    }
    expect(services['causeway-1']?.depends_on).toEqual({
      postgres: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
      bucket: { condition: 'service_completed_successfully' },
    });
    expect(services['causeway-1']?.ports).toEqual([]);
  });

  const missing = missingProxy('haproxy');
  it.skipIf(missing)(needing(missing, 'has a proxy whose configuration is valid and fits its processes'), async () => {
    const path = 'examples/proxies/haproxy-containers.cfg';
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', join(ROOT, path)], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('ALERT')]);
    const text = await read(path);
    const { services } = await readCompose('compose.cluster.yaml');
    expect(services.proxy?.volumes).toEqual([`./${path}:/usr/local/etc/haproxy/haproxy.cfg:ro`]);
    const targets = [...text.matchAll(/^ {4}server \w+ ([\w-]+):(\d+)$/gm)].map(([, host, port]) => [
      host,
      Number(port),
    ]);
    const [port] = (await readImage()).ports;
    expect(targets).toEqual(['causeway-1', 'causeway-2'].map((name) => [name, port]));
    const { METRICS_PORT, DRAIN_DELAY_MS } = services['causeway-1']?.environment ?? {};
    expect(text).toContain(`default-server check port ${METRICS_PORT} inter 500ms fall 2`);
    expect(DRAIN_DELAY_MS).toBeGreaterThan(2 * 500);
    expect(services.proxy?.ports).toEqual([expect.stringMatching(/:8080$/)]);
    expect(text).toContain('bind :8080');
  });

  it('uses the proxy of haproxy-several.cfg except for addresses and the port of the health check', async () => {
    const rules = async (file: string) =>
      (await read(`examples/proxies/${file}`))
        .split('\n')
        .filter((line) => line !== '' && !/^\s*(#|server |default-server )/.test(line));
    const own = ['resolvers docker', '    nameserver docker 127.0.0.11:53', '    hold valid 1s'];
    const containers = await rules('haproxy-containers.cfg');
    expect(containers.filter((line) => !own.includes(line))).toEqual(await rules('haproxy-several.cfg'));
  });
});

const Probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }),
  periodSeconds: z.number(),
  failureThreshold: z.number(),
});

const Container = z.looseObject({
  image: z.string(),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  lifecycle: z.object({
    preStop: z.object({ exec: z.object({ command: z.tuple([z.literal('sleep'), z.string()]) }) }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});

const Pod = z.looseObject({
  terminationGracePeriodSeconds: z.number(),
  containers: z.tuple([Container]),
  volumes: z.array(z.looseObject({ name: z.string(), emptyDir: z.looseObject({}) })),
});

const Deployment = z.looseObject({
  spec: z.looseObject({
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({ metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }), spec: Pod }),
  }),
});

describe('examples/kubernetes/causeway.yaml', () => {
  const FILE = 'examples/kubernetes/causeway.yaml';

  async function manifest(kind: string): Promise<Record<string, unknown>> {
    const documents = parseAllDocuments(await read(FILE)).map((document) => {
      expect(document.errors).toEqual([]);
      return z.looseObject({ kind: z.string(), apiVersion: z.string() }).parse(document.toJS());
    });
    const found = documents.filter((document) => document.kind === kind);
    expect(found).toHaveLength(1);
    return found[0] ?? {};
  }

  const readPod = async () => Deployment.parse(await manifest('Deployment')).spec.template.spec;

  it('runs two processes without privileges as the user of the image', async () => {
    const [user = '', group = ''] = (await readImage()).user.split(':');
    expect(await manifest('Deployment')).toMatchObject({
      apiVersion: 'apps/v1',
      spec: { replicas: 2, strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } } },
    });
    const pod = await readPod();
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: Number(user),
      runAsGroup: Number(group),
      fsGroup: Number(group),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mounts = pod.containers[0].volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounts).toEqual([...(await readImage()).volumes, '/tmp']);
    expect(pod.volumes.map(({ name }) => name)).toEqual(pod.containers[0].volumeMounts.map(({ name }) => name));
  });

  it('waits longer for the end of a process than it takes, and for a start than it waits', async () => {
    const pod = await readPod();
    const [container] = pod.containers;
    const sleepMs = Number(container.lifecycle.preStop.exec.command[1]) * 1_000;
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(sleepMs + defaults.drainTimeoutMs + 1_000);
    const { periodSeconds, failureThreshold } = container.startupProbe;
    expect(periodSeconds * failureThreshold * 1_000).toBeGreaterThan(2 * defaults.startWaitMs);
  });

  it('has settings that exist and are valid together with the secrets in its comment', async () => {
    const { data } = z.looseObject({ data: Variables }).parse(await manifest('ConfigMap'));
    const secrets = [...(await read(FILE)).matchAll(/--from-literal=(\w+)=(\S+)/g)].map(([, name = '', value]) => [
      name,
      value,
    ]);
    const environment = { ...(await readImage()).env, ...data, ...Object.fromEntries(secrets) };
    const names = Object.keys(environment).filter((name) => name !== 'NODE_ENV');
    expect(names.filter((name) => !isSetting(name))).toEqual([]);
    const config = readConfig(environment);
    expect(config).toMatchObject({ blobs: { bucket: 'causeway' }, dataDir: '/data', host: '0.0.0.0' });
    expect(config.databaseUrl).not.toBeNull();
    expect(config.redisUrl).not.toBeNull();
    const ports = (await readPod()).containers[0].ports;
    expect(ports).toEqual([
      { name: 'http', containerPort: config.port },
      { name: 'operations', containerPort: config.metricsPort },
    ]);
  });

  it('selects its pods everywhere', async () => {
    const { selector, template } = Deployment.parse(await manifest('Deployment')).spec;
    const labels = template.metadata.labels;
    expect(selector.matchLabels).toEqual(labels);
    expect(await manifest('PodDisruptionBudget')).toMatchObject({
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    });
    expect(await manifest('Service')).toMatchObject({ spec: { selector: labels, ports: [{ targetPort: 'http' }] } });
    const { metadata } = z.looseObject({ metadata: z.object({ name: z.string() }) }).parse(await manifest('Service'));
    expect(JSON.stringify(await manifest('Ingress'))).toContain(
      `"service":{"name":"${metadata.name}","port":{"name":"http"}}`,
    );
  });

  it('has probes that a running process answers at its METRICS_PORT', async () => {
    const server = await startServer({ env: { METRICS_PORT: '0' } });
    const [{ startupProbe, livenessProbe, readinessProbe }] = (await readPod()).containers;
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      expect(httpGet.port).toBe('operations');
      const response = await fetch(`${server.app.addresses.operationsUrl}${httpGet.path}`);
      expect([httpGet.path, response.status]).toEqual([httpGet.path, 200]);
    }
    await server.stop();
  });
});
