// A thread that sends a request at fixed intervals until it is stopped, without waiting for responses. It returns the
// milliseconds of each response, and the number of failures.
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, authorizations, everyMs } = workerData;
const agent = new Agent({ keepAlive: true });
const took = [];
let failed = 0;
let asked = 0;

function ask() {
  const authorization = authorizations[asked % authorizations.length];
  const startedAt = performance.now();
  asked += 1;
  return new Promise((resolve) => {
    const sent = get(url, { agent, headers: { authorization } }, (answer) => {
      answer.resume().once('end', () => {
        if (answer.statusCode === 200) took.push(performance.now() - startedAt);
        else failed += 1;
        resolve();
      });
    });
    sent.once('error', () => {
      failed += 1;
      resolve();
    });
  });
}

const answers = [];
const pace = setInterval(() => answers.push(ask()), everyMs);
parentPort.once('message', async () => {
  clearInterval(pace);
  await Promise.all(answers);
  parentPort.postMessage({ took, failed });
  agent.destroy();
});
