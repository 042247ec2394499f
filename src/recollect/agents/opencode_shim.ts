// Recollect in opencode. Tells the hook what happens and puts what it answers into the conversation.
// A hook that is missing, late or wrong changes nothing. `recollect init` fills in its own command below.
const HOOK = ["recollect-hook", "opencode"]
const DEADLINE_MS = 5000
const WRITING_TOOLS = new Set(["write", "edit", "multiedit", "patch", "apply_patch", "bash"])

export const Recollect = async ({ $, directory }) => {
  const starts = new Map() // how a session begins at its next prompt, where that is known
  const greeted = new Set()
  const owners = new Map() // a subagent's tools are used by the session that it works for
  const compacting = new Set()
  const lastSaid = new Map()
  const argsOfCall = new Map()
  const owner = (session) => owners.get(session) ?? session

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
      const { info, sessionID } = event.properties ?? {}
      const session = sessionID ?? info?.id
      if (event.type === "session.created" && info?.parentID) owners.set(session, owner(info.parentID))
      if (owners.has(session)) return
      if (event.type === "session.created") starts.set(session, "startup")
      if (event.type === "session.compacted") {
        compacting.delete(session)
        starts.set(session, "compact")
      }
      if (event.type === "session.idle")
        await ask("session.idle", session, { last_assistant_message: lastSaid.get(session) ?? "" })
      if (event.type === "session.deleted") await ask("session.deleted", session)
    }),

    "chat.message": quietly(async (input, output) => {
      const session = input.sessionID
      const said = []
      compacting.delete(session) // one that failed is over
      const source = starts.get(session) ?? (greeted.has(session) ? "" : "resume")
      if (source && !owners.has(session)) {
        starts.delete(session)
        greeted.add(session)
        said.push(await ask("session.created", session, { source }))
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
        const asked = { tool_name: input.tool, tool_input }
        const { deny } = await ask("tool.execute.before", owner(input.sessionID), asked)
        if (deny) throw new Error(deny)
      }
      if (argsOfCall.size > 64) argsOfCall.clear() // calls that failed are never told of again
      argsOfCall.set(input.callID, tool_input)
    },

    "tool.execute.after": quietly(async (input, output) => {
      const tool_input = input.args ?? argsOfCall.get(input.callID) ?? {}
      argsOfCall.delete(input.callID)
      const said = output.output ?? output.content ?? ""
      const exit = output.metadata?.exit // opencode tells it beside the output, and the hook looks in it
      const tool_response = exit ? `Exit code ${exit}\n${said}` : said
      await ask("tool.execute.after", owner(input.sessionID), { tool_name: input.tool, tool_input, tool_response })
    }),

    "experimental.text.complete": quietly(async (input, output) => {
      // The text of a compaction is no answer to anybody.
      if (!compacting.has(input.sessionID)) lastSaid.set(input.sessionID, output.text)
    }),

    "experimental.session.compacting": quietly(async (input) => {
      compacting.add(input.sessionID)
      await ask("experimental.session.compacting", owner(input.sessionID))
    }),
  }
}
