import { z } from 'zod';

export default z.strictObject({
  from: z.string().meta({ title: 'From' }),
  subject: z.string().meta({ title: 'Subject' }),
  orderNumber: z.string().meta({ title: 'Order number' }),
  urgency: z.enum(['low', 'normal', 'high']).meta({ title: 'Urgency' }),
  request: z.enum(['refund', 'replacement', 'address change', 'other']).meta({ title: 'Request' }),
  callbackNumber: z.string().optional().meta({ title: 'Callback number' }),
});
