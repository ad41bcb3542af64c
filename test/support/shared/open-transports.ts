import type { AgentService } from '../../../src/application/ports/agent/agent-service.js';
import { type AgentTransport, openTransport, type TransportName, type TransportSettings } from './agent-transports.js';

/** The agents that a test has by one transport. */
export class OpenTransports {
  readonly #name: TransportName;
  readonly #open: AgentTransport[] = [];

  constructor(name: TransportName) {
    this.#name = name;
  }

  /** One that calls can be made to. */
  async connect(
    service: AgentService,
    settings: Partial<TransportSettings> = {},
    connections?: number,
  ): Promise<AgentTransport> {
    const transport = await openTransport(this.#name, service, settings, connections);
    this.#open.push(transport);
    transport.client.start();
    await transport.ready();
    return transport;
  }

  async close(): Promise<void> {
    for (const transport of this.#open.splice(0)) await transport.close();
  }
}
