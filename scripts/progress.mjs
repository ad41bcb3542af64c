const heartbeatMs = 10_000;

/** @param {number} sinceMs */
const seconds = (sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;

/**
 * Says what is being done, says now and then that it still is, and says how long it took.
 * @template Value
 * @param {string} label such as `[1/3] installing packages`
 * @param {() => Promise<Value>} work
 * @returns {Promise<Value>}
 */
export const withProgress = async (label, work) => {
  const startedMs = Date.now();
  console.log(`${label} ...`);
  const heartbeat = setInterval(() => console.log(`${label} ... ${seconds(startedMs)}`), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    console.log(`${label}: ${seconds(startedMs)}`);
  }
};
