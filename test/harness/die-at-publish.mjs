// For `node --import`: ends the process at once, as a crash does, when it is about to publish over Redis under a topic that matches
// DIE_AT_PUBLISH. What it has committed by then is told to nobody. The command is looked for on its way into the socket: the
// program brings its own copy of the Redis client.
import { Socket } from 'node:net';

const topic = new RegExp(process.env.DIE_AT_PUBLISH ?? '(?!)');
const { write } = Socket.prototype;
Socket.prototype.write = function (chunk, ...rest) {
  const [, channel] = /publish\r\n\$\d+\r\n([^\r]*)/.exec(chunk) ?? [];
  if (channel !== undefined && topic.test(channel)) process.kill(process.pid, 'SIGKILL');
  return write.call(this, chunk, ...rest);
};
