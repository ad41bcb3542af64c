/**
 * Methods that no request is served with. CONNECT: the gateway is no forward proxy. TRACE (RFC 9110, section 9.3.8): an upstream sends
 * back the request as it got it, with all that the gateway and its agents say to it alone.
 */
export const isUnservedMethod = (method: string): boolean => method === 'CONNECT' || method === 'TRACE';
