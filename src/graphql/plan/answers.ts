import type { OperationDefinitionNode } from 'graphql';

import type { CompanyChanges } from '../../database/company-changes.js';
import { rightsKey, type Caller } from '../../platform/caller.js';
import type { Variables } from '../limits/cost.js';
import { KeptAnswers, type Answer } from './kept-answers.js';

/** Characters of a question at most: operations have their names, so these are those of the variables. */
const MAX_QUESTION = 2_000;
/** Questions that are remembered, of all companies. */
const MAX_ASKED = 2_000;

/** Who asks for what. */
export interface Question {
  readonly operation: OperationDefinitionNode;
  /** Coerced. */
  readonly variables: Variables;
  readonly caller: Caller;
}

/**
 * Answers to planned queries. Those who ask the same, in the same company and with the same rights, get the same text until
 * something in their company changes: dashboards ask the same every few seconds, each for several viewers. What is asked for
 * the second time is kept.
 */
export class Answers {
  readonly #kept = new KeptAnswers();
  /** The oldest first. */
  readonly #asked = new Set<string>();
  readonly #names = new WeakMap<OperationDefinitionNode, number>();
  #operations = 0;

  /** Without `changes`, each answer is made. */
  constructor(private readonly changes: CompanyChanges | null) {}

  /**
   * The answer to a question. `make` makes it; for `notePersonal`, it calls that if the answer depends on more of its caller
   * than the rights, or on the time.
   */
  async to(
    { operation, variables, caller }: Question,
    make: (notePersonal: (() => void) | null) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.changes === null) return await make(null);
    const { companyId } = caller;
    const question = `${this.#nameOf(operation)} ${rightsKey(caller)} ${JSON.stringify(variables)}`;
    const kept = this.#kept.find(companyId, question);
    if (kept !== undefined && !this.changes.hasChanged(companyId, kept.position)) return kept.answer;
    if (kept === undefined && !this.#isAskedAgain(`${companyId} ${question}`)) return await make(null);
    const { position } = this.changes;
    let notes = 0;
    const answer = await make(() => void (notes += 1));
    if (notes === 0) this.#kept.keep(companyId, question, { answer, position });
    return answer;
  }

  #nameOf(operation: OperationDefinitionNode): number {
    const name = this.#names.get(operation) ?? (this.#operations += 1);
    this.#names.set(operation, name);
    return name;
  }

  #isAskedAgain(question: string): boolean {
    if (question.length > MAX_QUESTION) return false;
    if (this.#asked.has(question)) return true;
    this.#asked.add(question);
    const [oldest = ''] = this.#asked;
    if (this.#asked.size > MAX_ASKED) this.#asked.delete(oldest);
    return false;
  }
}
