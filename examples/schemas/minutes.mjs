import { z } from 'zod';

export default z.strictObject({
  meeting: z.string().meta({ title: 'Meeting' }),
  date: z.iso.date().meta({ title: 'Date' }),
  chair: z.string().meta({ title: 'Chair' }),
  attendees: z.array(z.string()).min(1).meta({ title: 'Attendees' }),
  decisions: z.array(z.string()).meta({ title: 'Decisions' }),
  actions: z
    .array(
      z.strictObject({
        owner: z.string().meta({ title: 'Owner' }),
        task: z.string().meta({ title: 'Task' }),
        due: z.iso.date().meta({ title: 'Due' }),
      }),
    )
    .meta({ title: 'Actions' }),
});
