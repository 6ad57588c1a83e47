// For `node --import`: ends the process at once, as a crash does, when it is about to publish under a topic that matches
// DIE_AT_PUBLISH. What it has committed by then is told to nobody.
import { Redis } from 'ioredis';

const topic = new RegExp(process.env.DIE_AT_PUBLISH ?? '(?!)');
const { publish } = Redis.prototype;
Redis.prototype.publish = function (channel, ...rest) {
  if (topic.test(channel)) process.kill(process.pid, 'SIGKILL');
  return publish.call(this, channel, ...rest);
};
