import type { AgentAnswer, RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import type { AgentEndpoint } from './agent-endpoints.js';
import type { RefusedForm } from './posted-forms.js';
import { formRefusal, methodNotAllowed } from './refusal.js';

/** Answers a request for a document. */
export interface ServedDocument {
  answer(event: RequestHeadersEvent): AgentAnswer;
}

/** Public documents, served without credentials. It never requests a body. */
export class DocumentEndpoint implements AgentEndpoint {
  readonly paths: readonly string[];
  readonly formOctets = 0;
  readonly #documents: ReadonlyMap<string, ServedDocument>;

  /** @param documents by normalised path */
  constructor(documents: ReadonlyMap<string, ServedDocument>) {
    this.paths = [...documents.keys()];
    this.#documents = documents;
  }

  answer(event: RequestHeadersEvent, path: string): AgentAnswer {
    return this.#documents.get(path)?.answer(event) ?? methodNotAllowed(event, 'GET, HEAD');
  }

  /** For a form that another endpoint of this path requested before a change of the configuration. */
  answerForm(event: RequestHeadersEvent): Promise<AgentAnswer> {
    return Promise.resolve(methodNotAllowed(event, 'GET, HEAD'));
  }

  refuseForm(form: RefusedForm): AgentAnswer {
    return formRefusal(form);
  }
}
