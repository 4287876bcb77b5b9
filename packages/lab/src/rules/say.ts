import type { Instruction, Slot } from './instructions.ts';
import { settingOf } from './instructions.ts';
import type { Finding } from './lookup.ts';
import { termsOf, within } from './terms.ts';

const unknown = { english: 'I do not know.', german: 'Das weiß ich nicht.' } as const;
const withheld = { english: 'I may not say that.', german: 'Das darf ich nicht sagen.' } as const;
const verdicts = { english: { Yes: 'Yes', No: 'No' }, german: { Yes: 'Ja', No: 'Nein' } } as const;

/** The text of an answer under the obeyed instructions; undefined findings are questions that nothing answers. */
export function sayAll(findings: readonly (Finding | undefined)[], instructions: readonly Instruction[]): string {
  const set = (name: Slot): string | undefined => settingOf(instructions, name)?.value;
  const language = set('language') === 'german' ? 'german' : 'english';
  const literal = set('answer');
  const isBrief = set('length') === 'value';
  const pieces = literal === undefined ? findings.map((finding) => sayOne(finding, instructions, language, isBrief)) : [literal];
  const joined = pieces.length === 0 ? unknown[language] : pieces.join(isBrief ? ', ' : ' ');
  const said = isForbidden(joined, instructions) ? withheld[language] : joined;
  const cased = set('case') === 'upper' ? said.toUpperCase() : set('case') === 'lower' ? said.toLowerCase() : said;
  const whole = [set('begin'), cased, set('end')].filter((part) => part !== undefined).join(' ');
  return set('form') === 'json' ? JSON.stringify({ answer: whole }) : whole;
}

function sayOne(
  finding: Finding | undefined,
  instructions: readonly Instruction[],
  language: 'english' | 'german',
  isBrief: boolean,
): string {
  if (finding === undefined) return unknown[language];
  const value = roundedValue(finding, instructions);
  const verdict = finding.verdict === undefined ? undefined : verdicts[language][finding.verdict];
  if (isBrief || finding.isOutput) return verdict ?? value;
  const subject = finding.subject.slice(0, 1).toUpperCase() + finding.subject.slice(1);
  const verb = language === 'german' ? 'ist' : finding.verb;
  const sentence = `${subject} ${verb} ${value}${/[.!?]$/.test(value) ? '' : '.'}`;
  return verdict === undefined ? sentence : `${verdict}. ${sentence}`;
}

/** The value, its first number rounded when an instruction says so. */
export function roundedValue(finding: Pick<Finding, 'value'>, instructions: readonly Instruction[]): string {
  const decimals = settingOf(instructions, 'decimals')?.value;
  if (decimals === undefined) return finding.value;
  return finding.value.replace(/-?\d+\.\d+(?![\d.-])/, (number) => Number(number).toFixed(Number(decimals)));
}

function isForbidden(text: string, instructions: readonly Instruction[]): boolean {
  const said = termsOf(text);
  return instructions.some((one) => one.kind === 'forbid' && (text.includes(one.words) || within(termsOf(one.words), said)));
}
