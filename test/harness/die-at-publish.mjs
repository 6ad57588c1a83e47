// For `node --import`: exits immediately, like a crash, before the first publication over Redis whose channel matches
// DIE_AT_PUBLISH. Committed changes then have no event. It watches the socket, because the program bundles its own
// Redis client.
import { Socket } from 'node:net';

const topic = new RegExp(process.env.DIE_AT_PUBLISH ?? '(?!)');
const { write } = Socket.prototype;
Socket.prototype.write = function (chunk, ...rest) {
  // EVAL, the script, the number of keys, the key of the log, the channel.
  const [, channel] =
    /^\*\d+\r\n\$4\r\neval\r\n.*?\r\n1\r\n\$\d+\r\n\S*log:\S+\r\n\$\d+\r\n(\S+)\r\n/s.exec(chunk) ?? [];
  if (channel !== undefined && topic.test(channel)) process.kill(process.pid, 'SIGKILL');
  return write.call(this, chunk, ...rest);
};
