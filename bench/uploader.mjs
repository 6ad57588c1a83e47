// A thread that uploads one file after the other until it is stopped, at least one. It returns the last failed
// response, or null. The thread keeps the work for forms away from the measuring thread.
import { parentPort, workerData } from 'node:worker_threads';

const { url, authorization, bytes } = workerData;
const file = new Blob([Buffer.alloc(bytes, 7)]);
let isOver = false;
let failure = null;

parentPort.once('message', () => {
  isOver = true;
});

async function upload() {
  const form = new FormData();
  form.append('files[0]', file, 'large.bin');
  const answer = await fetch(url, { method: 'POST', headers: { authorization }, body: form });
  const text = await answer.text();
  if (!answer.ok) failure = `an upload got the response ${answer.status}: ${text}`;
}

do await upload();
while (!isOver);
parentPort.postMessage(failure);
