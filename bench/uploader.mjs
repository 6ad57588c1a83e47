// A thread that uploads one file after the other, the first at least, until it is told to stop. Then it tells the last answer that was no
// success, or null. A thread of its own, since who measures others' times meanwhile must not wait for its own making of forms.
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
  if (!answer.ok) failure = `an upload was answered ${answer.status}: ${text}`;
}

do await upload();
while (!isOver);
parentPort.postMessage(failure);
