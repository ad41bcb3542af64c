import type { HealthProber, ProbedTarget } from '../../../application/ports/gateway/health-prober.js';
import type { HealthProbe } from '../../../domain/gateway/configuration/upstream-options.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { failureText } from './failure-text.js';
import { probeGrpc } from './grpc-probe.js';
import { probeHttp } from './http-probe.js';
import { probeHttp2 } from './http2-probe.js';
import { probeTcp } from './tcp-probe.js';

const probeBy = (target: ProbedTarget, probe: HealthProbe, timeoutMs: number): Promise<Result<void, string>> => {
  switch (probe.kind) {
    case 'http':
      return probeHttp(target, probe, timeoutMs);
    case 'http2':
      return probeHttp2(target, probe, timeoutMs);
    case 'tcp':
      return probeTcp(target.address, timeoutMs);
    default:
      return probeGrpc(target, probe.service, timeoutMs);
  }
};

/** Asks targets in plaintext, by TCP, HTTP/1.1, HTTP/2 or gRPC. */
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
