/** What a run may use at most. An absent limit is no limit. All are enforced in one place (AC-014). */
export interface Budget {
  readonly maxCalls?: number;
  readonly maxToolCalls?: number;
  readonly maxInputChars?: number;
  readonly maxOutputChars?: number;
  readonly maxOutputTokens?: number;
  readonly maxTotalTokens?: number;
}

/** The name of one limit. */
export type BudgetName = keyof Budget;

/** The evidence of a limit that was reached (`BUDGET_EXCEEDED`). */
export interface BudgetExcess {
  readonly budget: BudgetName;
  readonly limit: number;
  readonly used: number;
  readonly requested: number;
}

/** What is left of each limit; absent where there is no limit. Callbacks can read it and cannot spend from it (AC-004). */
export type RemainingBudget = { readonly [Name in BudgetName]?: number };
