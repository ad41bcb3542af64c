import type { HealthProber, ProbedTarget } from '../../../application/ports/health-prober.js';
import type { HealthProbe } from '../../../domain/configuration/upstream-options.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { failureText } from './failure-text.js';
import { probeGrpc } from './grpc-probe.js';
import { probeHttp } from './http-probe.js';
import { probeTcp } from './tcp-probe.js';

const probeBy = (target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>> => {
  if (probe.kind === 'http') return probeHttp(target, probe, timeoutMs);
  return probe.kind === 'tcp' ? probeTcp(target.address, timeoutMs) : probeGrpc(target, probe.service, timeoutMs);
};

/** Asks targets in plaintext, by TCP, HTTP/1.1 or gRPC. */
export class NodeHealthProber implements HealthProber {
  async probe(target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>> {
    try {
      return await probeBy(target, probe, timeoutMs);
    } catch (error) {
      // Node refuses to send what is no path or no header field.
      return err(failureText(error));
    }
  }
}
