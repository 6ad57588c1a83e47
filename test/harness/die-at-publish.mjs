// For `node --import`: exits immediately, like a crash, before the first publish over Redis under a topic that matches
// DIE_AT_PUBLISH. Committed changes then have no event. It watches the socket, because the program bundles its own
// Redis client.
import { Socket } from 'node:net';

const topic = new RegExp(process.env.DIE_AT_PUBLISH ?? '(?!)');
const { write } = Socket.prototype;
Socket.prototype.write = function (chunk, ...rest) {
  const [, channel] = /publish\r\n\$\d+\r\n([^\r]*)/.exec(chunk) ?? [];
  if (channel !== undefined && topic.test(channel)) process.kill(process.pid, 'SIGKILL');
  return write.call(this, chunk, ...rest);
};
