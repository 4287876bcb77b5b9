import { type LabChatRequest, type LabContent, type LabModel, scripted } from '@vouch/lab';

type Reply = Awaited<ReturnType<LabModel>>;

const answers: { readonly [property: string]: unknown } = {
  age: { name: 'Ada Lovelace', age: 36 },
  address: {
    customer: 'Ada Lovelace',
    address: { city: 'London', street: 'St James Square 12' },
    items: [{ article: 'pencil', quantity: 2 }],
  },
  priority: { title: 'Disk full', priority: 'high', score: 7.5, isOpen: true, owner: null, tags: ['disk', 'power'] },
};

const numbers = Array.from({ length: 300 }, (_, index) => String(index + 1)).join(' ');

/** A model that does whatever the checks of an endpoint ask of it. `change` plants what it does otherwise. */
export function faithfulModel(change: (request: LabChatRequest, reply: LabContent) => Reply = (_request, reply) => reply): LabModel {
  const model = scripted((request) => (request.model === 'vouch-no-such-model' ? noSuchModel(request) : change(request, replyTo(request))));
  return Object.assign(model, { modelId: 'faithful' });
}

function noSuchModel({ wire }: LabChatRequest): Reply {
  const message = 'The model `vouch-no-such-model` does not exist.';
  const body = wire === 'ollama' ? { error: message } : { error: { message, type: 'not_found_error', code: 'model_not_found' } };
  return { raw: { status: 404, headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(body)], ending: 'end' } };
}

function replyTo(request: LabChatRequest): LabContent {
  const body = JSON.stringify(request.body);
  const asked = request.messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const thinks = request.thinking === true || /"reasoning_effort"|"effort":/.test(body);
  const reply: LabContent = {
    ...replyWithout(request, asked, body),
    ...(thinks ? { reasoning: 'It was asked, so it is said.' } : {}),
  };
  return reply;
}

function replyWithout(request: LabChatRequest, asked: string, body: string): LabContent {
  if (request.format.type === 'json_schema') {
    const properties = Object.keys((request.format.schema.properties ?? {}) as object);
    return { text: JSON.stringify(answers[properties.find((name) => name in answers) ?? '']) };
  }
  if (request.messages.at(-1)?.role === 'tool') return { text: `There are ${request.messages.at(-1)?.text.replace(/\D/g, '')} pieces.` };
  if (request.tools.length > 0 && request.toolChoice !== 'none') return { toolCalls: callsOf(request, asked) };
  if (/KINGFISHER/.test(body)) return { text: 'KINGFISHER' };
  if (/image\/png|input_image|"images"/.test(body)) return { text: 'Red.' };
  const marked = /<<(.*)>>/s.exec(asked)?.[1];
  if (marked !== undefined) return { text: marked };
  if (/numbers from 1 to 300/.test(asked)) return { text: numbers };
  if (/amber basalt/.test(asked)) return { text: /"stop/.test(body) ? 'amber basalt ' : 'amber basalt cobalt delta ember' };
  return { text: /17 times 23/.test(asked) ? '391' : 'yes' };
}

function callsOf({ toolChoice }: LabChatRequest, asked: string): NonNullable<LabContent['toolCalls']> {
  if (typeof toolChoice === 'object') return [{ name: toolChoice.name, arguments: '{"town":"Oslo"}' }];
  const stock = (article: string, shelf: number) => ({ name: 'read_stock', arguments: JSON.stringify({ article, shelf }) });
  return /twice/.test(asked) ? [stock('anvil', 7), stock('bellows', 9)] : [stock('anvil', 7)];
}
