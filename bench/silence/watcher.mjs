// A thread that requests a URL every 25 ms until it is stopped. It returns the longest response time in milliseconds,
// and whether the URL stopped answering.
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const EVERY_MS = 25;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

let isOver = false;
parentPort.once('message', () => {
  isOver = true;
});

function ask() {
  return new Promise((resolve, reject) => {
    get(workerData.url, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject);
  });
}

let longest = 0;
let isGone = false;
while (!isOver) {
  const asked = performance.now();
  try {
    await ask();
    longest = Math.max(longest, performance.now() - asked);
    await setTimeout(Math.max(0, EVERY_MS - (performance.now() - asked)));
  } catch {
    longest = Math.max(longest, performance.now() - asked);
    isGone = true;
    break;
  }
}
parentPort.postMessage({ longest, isGone });
agent.destroy();
