import type { AgentEndpoint } from '../../../src/application/agent/agent-service/agent-endpoints.js';
import type { RefusedForm } from '../../../src/application/agent/agent-service/posted-forms.js';
import {
  type AgentAnswer,
  allowAnswer,
  type RequestHeadersEvent,
} from '../../../src/domain/agent-protocol/messages.js';
import { decided } from '../shared/agent-events.js';

/** An endpoint that takes every form, and says in its answers which it is. */
export class FakeAgentEndpoint implements AgentEndpoint {
  readonly paths: readonly string[];
  readonly formOctets: number;
  readonly forms: string[] = [];
  readonly refused: RefusedForm['kind'][] = [];
  readonly #name: string;

  constructor(name: string, paths: readonly string[], formOctets = 1_048_576) {
    this.#name = name;
    this.paths = paths;
    this.formOctets = formOctets;
  }

  answer({ method }: RequestHeadersEvent): AgentAnswer {
    return method === 'POST' ? { ...allowAnswer, needsMore: true } : this.#says('answered');
  }

  async answerForm(_event: RequestHeadersEvent, _path: string, form: Uint8Array): Promise<AgentAnswer> {
    this.forms.push(new TextDecoder().decode(form));
    return this.#says('took the form');
  }

  refuseForm({ kind }: RefusedForm): AgentAnswer {
    this.refused.push(kind);
    return this.#says(kind);
  }

  #says(what: string): AgentAnswer {
    return decided({ kind: 'block', status: 400, body: `${this.#name} ${what}`, headers: [] });
  }
}
