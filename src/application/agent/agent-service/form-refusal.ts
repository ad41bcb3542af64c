import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import { withNoStore } from './no-store.js';
import type { RefusedForm } from './posted-forms.js';
import { type ProblemKind, problemAnswer } from './problem-answer.js';
import { undecidedAnswer } from './refusal.js';

const tooLarge: ProblemKind = {
  status: 413,
  title: 'The form is too large',
  detail: 'The form that was posted is larger than is read here.',
  code: 'form_too_large',
};

const dropped: ProblemKind = {
  status: 408,
  title: 'The form took too long to arrive',
  detail: 'The form that was posted was not here in time.',
  code: 'form_timeout',
};

const problemOf = ({ kind, event }: RefusedForm): AgentAnswer => {
  switch (kind) {
    case 'too_large':
      return problemAnswer(tooLarge, event, [], ['form_too_large']);
    case 'dropped':
      return problemAnswer(dropped, event, [], ['form_timeout']);
    case 'overloaded':
      return undecidedAnswer(event, 'overloaded');
  }
};

/** The answer where a form cannot be had: 413, 408, and 503 where too many are under way. */
export const formRefusal = (form: RefusedForm): AgentAnswer => withNoStore(problemOf(form));
