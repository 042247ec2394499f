// Recollect in opencode. Tells the hook what happens and puts what it answers into the conversation.
// A hook that is missing, late or wrong changes nothing. `recollect init` fills in its own command below.
const HOOK = ["recollect-hook", "opencode"]
const DEADLINE_MS = 5000
const WRITING_TOOLS = new Set(["write", "edit", "multiedit", "patch", "apply_patch"])

export const Recollect = async ({ $, directory }) => {
  const created = new Set()
  const greeted = new Set()
  const argsOfCall = new Map()

  const ask = async (event, session, fields = {}) => {
    let timer
    try {
      const told = JSON.stringify({ session_id: session, cwd: directory, hook_event_name: event, ...fields })
      const late = new Promise((done) => (timer = setTimeout(done, DEADLINE_MS, "")))
      const answer = $`${HOOK} ${event} < ${new Response(told)}`.quiet().nothrow().text()
      return JSON.parse((await Promise.race([answer, late])).trim() || "{}") ?? {}
    } catch {
      return {}
    } finally {
      clearTimeout(timer)
    }
  }

  const quietly = (hook) => async (input, output) => {
    try {
      await hook(input, output)
    } catch {}
  }

  return {
    event: quietly(async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.created") created.add(session)
      if (event.type === "session.idle") await ask("session.idle", session)
      if (event.type === "session.deleted") await ask("session.deleted", session)
    }),

    "chat.message": quietly(async (input, output) => {
      const session = input.sessionID
      const said = []
      if (!greeted.has(session)) {
        greeted.add(session)
        said.push(await ask("session.created", session, { source: created.has(session) ? "startup" : "resume" }))
      }
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      said.push(await ask("chat.message", session, { prompt: typed.map((part) => part.text).join("\n") }))
      const text = said.map((answer) => answer.context).filter(Boolean).join("\n")
      if (!text) return
      const messageID = output.message.id
      const id = `prt_recollect_${messageID}`
      output.parts.push({ id, sessionID: session, messageID, type: "text", text, synthetic: true })
    }),

    "tool.execute.before": async (input, output) => {
      const tool_input = output?.args ?? {}
      if (WRITING_TOOLS.has(input.tool)) {
        const { deny } = await ask("tool.execute.before", input.sessionID, { tool_name: input.tool, tool_input })
        if (deny) throw new Error(deny)
      }
      if (argsOfCall.size > 64) argsOfCall.clear() // calls that failed are never told of again
      argsOfCall.set(input.callID, tool_input)
    },

    "tool.execute.after": quietly(async (input, output) => {
      const tool_input = input.args ?? argsOfCall.get(input.callID) ?? {}
      argsOfCall.delete(input.callID)
      const tool_response = output.output ?? output.content ?? ""
      await ask("tool.execute.after", input.sessionID, { tool_name: input.tool, tool_input, tool_response })
    }),

    "experimental.session.compacting": quietly(async (input, output) => {
      const { context } = await ask("experimental.session.compacting", input.sessionID)
      if (context) output.context.push(context)
    }),
  }
}
