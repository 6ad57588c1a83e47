export {
  DELIVERIES_LOOKED_AT,
  type EndpointHealth,
  endpointHealth,
  lastDeliveries,
} from './health.js';
export type { Ping } from './ping.js';
export { type PostingContext, postToEndpoint } from './post.js';
export { type EndpointProbe, type ProbeCheck, probeEndpoint } from './probe.js';
export { EndpointUrl, testEndpoint } from './test.js';
