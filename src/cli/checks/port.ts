import type { Config } from '../../config.js';
import { describeStartFault, tryAddress } from '../../start.js';
import { askGateway } from './answers.js';
import { type Check, failure, messageOf, passed } from './check.js';

/** @returns the check, and whether a process of Causeway already listens there */
export async function checkPort(config: Config): Promise<{ check: Check; isRunning: boolean }> {
  const { socketFd, host, port } = config;
  try {
    await tryAddress(config);
    const place = socketFd === null ? `${host}:${port}` : 'the socket from systemd';
    const text = port === 0 ? `${host}, with any free port` : `${place} is free`;
    return { check: passed('port', text), isRunning: false };
  } catch (error) {
    const running = port > 0 ? await askGateway(`http://${addressOf(config)}`).catch(() => null) : null;
    if (running?.url) return { check: passed('port', `Causeway is running at ${host}:${port}`), isRunning: true };
    return { check: failure('port', describeStartFault(error) ?? messageOf(error)), isRunning: false };
  }
}

/** The address at which this machine reaches the process. A container may not know the name `localhost`. */
function addressOf({ host, port }: Config): string {
  if (host === '' || host === '0.0.0.0') return `127.0.0.1:${port}`;
  if (host === '::') return `[::1]:${port}`;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
